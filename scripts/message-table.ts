/** What is used of a FileDescriptorSet in JSON, as `buf build` prints it. */
export type DescriptorImage = { file: readonly FileDescriptor[] }
type FileDescriptor = {
  package?: string
  messageType?: MessageDescriptor[]
  enumType?: EnumDescriptor[]
  service?: ServiceDescriptor[]
}
type MessageDescriptor = {
  name: string
  field?: FieldDescriptor[]
  nestedType?: MessageDescriptor[]
  enumType?: EnumDescriptor[]
  oneofDecl?: { name: string }[]
  options?: Options
}
type FieldDescriptor = {
  name: string
  jsonName: string
  number: number
  label?: string
  type: string
  typeName?: string
  oneofIndex?: number
  proto3Optional?: boolean
  options?: Options
}
type EnumDescriptor = { name: string; value: { name: string; number?: number }[] }
type ServiceDescriptor = { name: string; method?: MethodDescriptor[] }
type MethodDescriptor = {
  name: string
  inputType: string
  outputType: string
  clientStreaming?: boolean
  serverStreaming?: boolean
  options?: Options
}
type Options = Readonly<Record<string, unknown>>

// Our own protocols; what they borrow from google.protobuf is named by typeName and not repeated.
const PACKAGES = ['csi.v1', 'csiregistration', 'pluginregistration']

/** The text of message-table.ts: the same for the same image, sorted by full name, one line a field. */
export function formatMessageTable(image: DescriptorImage): string {
  const messages: [name: string, lines: string[]][] = []
  const enums: [name: string, lines: string[]][] = []
  const services: [name: string, lines: string[]][] = []
  const addEnum = (scope: string, { name, value }: EnumDescriptor): void => {
    enums.push([`${scope}.${name}`, value.map((item) => `${item.number ?? 0}: '${item.name}',`)])
  }
  const addMessage = (scope: string, message: MessageDescriptor): void => {
    const fullName = `${scope}.${message.name}`
    messages.push([fullName, (message.field ?? []).map((field) => formatField(message, field))])
    for (const inner of message.nestedType ?? []) if (!inner.options?.['mapEntry']) addMessage(fullName, inner)
    for (const inner of message.enumType ?? []) addEnum(fullName, inner)
  }
  for (const file of image.file) {
    const scope = file.package ?? ''
    if (!PACKAGES.includes(scope)) continue
    for (const message of file.messageType ?? []) addMessage(scope, message)
    for (const item of file.enumType ?? []) addEnum(scope, item)
    for (const { name, method = [] } of file.service ?? [])
      services.push([`${scope}.${name}`, method.map(formatMethod)])
  }
  return [
    HEADER,
    formatConstant('MESSAGES', 'Readonly<Record<string, readonly MessageField[]>>', messages, '[]'),
    formatConstant('ENUMS', 'Readonly<Record<string, Readonly<Record<number, string>>>>', enums, '{}'),
    formatConstant('SERVICES', 'Readonly<Record<string, readonly ServiceMethod[]>>', services, '[]'),
  ].join('\n')
}

const HEADER = `// Made by \`npm run generate\` from the .proto files beside this folder. Do not edit.

/** A type of Protocol Buffers; \`map\` stands for a map field. */
export type FieldType =
  | 'string' | 'bytes' | 'bool' | 'message' | 'enum' | 'map' | 'double' | 'float'
  | 'int32' | 'int64' | 'uint32' | 'uint64' | 'sint32' | 'sint64' | 'fixed32' | 'fixed64' | 'sfixed32' | 'sfixed64'

/** One field of a message. What is false or absent is left out. */
export type MessageField = {
  /** As the .proto file has it: \`volume_id\`. */
  readonly name: string
  /** As our types have it: \`volumeId\`. */
  readonly jsonName: string
  readonly number: number
  readonly type: FieldType
  /** Full name, for messages and enums, and for maps with such values. */
  readonly typeName?: string
  readonly repeated?: true
  readonly keyType?: FieldType
  readonly valueType?: FieldType
  /** The oneof it belongs to, as our types name it. */
  readonly oneof?: string
  /** Declared \`optional\`: absence differs from the zero value. */
  readonly optional?: true
  /** Must never be logged. */
  readonly secret?: true
  readonly alpha?: true
}

/** One call of a service; request and response are full names. */
export type ServiceMethod = {
  readonly name: string
  readonly request: string
  readonly response: string
  readonly clientStreaming?: true
  readonly serverStreaming?: true
  readonly alpha?: true
}
`

const COMMENTS: Readonly<Record<string, string>> = {
  MESSAGES: 'Fields by the full name of the message, in the order of the .proto file.',
  ENUMS: 'Value names by number, by the full name of the enum.',
  SERVICES: 'Calls by the full name of the service.',
}

function formatConstant(
  name: string,
  type: string,
  entries: [name: string, lines: string[]][],
  brackets: string,
): string {
  const body = entries
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, lines]) => formatEntry(key, lines, brackets))
    .join('\n')
  return `/** ${COMMENTS[name]} */\nexport const ${name}: ${type} = {\n${body}\n}\n`
}

function formatEntry(key: string, lines: readonly string[], [open = '', close = '']: string): string {
  if (lines.length === 0) return `  '${key}': ${open}${close},`
  return [`  '${key}': ${open}`, ...lines.map((line) => `    ${line}`), `  ${close},`].join('\n')
}

function formatField(message: MessageDescriptor, field: FieldDescriptor): string {
  const entry = message.nestedType?.find(
    ({ name, options }) => options?.['mapEntry'] && field.typeName?.endsWith(`.${message.name}.${name}`),
  )
  const [key, value] = entry?.field ?? []
  const oneof =
    field.oneofIndex === undefined || field.proto3Optional ? undefined : message.oneofDecl?.[field.oneofIndex]?.name
  return formatRecord({
    name: field.name,
    jsonName: field.jsonName,
    number: field.number,
    type: entry ? 'map' : typeOf(field),
    typeName: fullNameOf((entry ? value : field)?.typeName),
    repeated: field.label === 'LABEL_REPEATED' && !entry,
    keyType: key && typeOf(key),
    valueType: value && typeOf(value),
    oneof: oneof === undefined ? undefined : toCamelCase(oneof),
    optional: field.proto3Optional,
    secret: field.options?.['[csi.v1.csi_secret]'],
    alpha: field.options?.['[csi.v1.alpha_field]'],
  })
}

function formatMethod(method: MethodDescriptor): string {
  return formatRecord({
    name: method.name,
    request: fullNameOf(method.inputType),
    response: fullNameOf(method.outputType),
    clientStreaming: method.clientStreaming,
    serverStreaming: method.serverStreaming,
    alpha: method.options?.['[csi.v1.alpha_method]'],
  })
}

function formatRecord(members: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(members)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? `'${value}'` : String(value)}`)
  return `{ ${pairs.join(', ')} },`
}

const typeOf = (field: FieldDescriptor): string => field.type.replace(/^TYPE_/, '').toLowerCase()
const fullNameOf = (typeName: string | undefined): string | undefined => typeName?.replace(/^\./, '')
const toCamelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
