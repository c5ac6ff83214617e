import { join } from 'node:path'
import { BASE_PACKAGES, NODE_PACKAGES, NON_ROOT_USER, ROOT_ENTRIES, neededEntries } from './contents.ts'
import { downloadDebianPackages, type DebianPackage } from './debian-packages.ts'
import {
  createOciLayout,
  OCI_ARCHITECTURE,
  type Architecture,
  type Descriptor,
  type Layer,
  type OciLayout,
} from './oci-layout.ts'
import { downloadNode, type NodeProgram } from './pinned-node.ts'
import { HOME, packProgram, type Program } from './program.ts'
import { writeSbom, type Component } from './sbom.ts'

export type BuildOptions = {
  out: string
  architectures: readonly Architecture[]
  /** What the images' names begin with. */
  registry: string
  version: string
  nodeVersion: string
  temporary: string
  progress: (line: string) => void
}

export type BuiltImage = { name: string; architecture: Architecture; size: number; digest: string }

/** `boms`: file name and content, one for each image and architecture. */
export type BuiltImages = { images: BuiltImage[]; boms: Map<string, string> }

const ENTRYPOINT = ['/usr/bin/node', `/${HOME}/bin/holdfast`]

/** Images that differ from `holdfast` in their entrypoint alone: a manifest of the upstream sidecar changes its image and nothing else. */
export const SIDECAR_IMAGES: readonly string[] = [
  'cluster-driver-registrar',
  'csi-attacher',
  'csi-external-health-monitor-controller',
  'csi-provisioner',
  'csi-resizer',
  'csi-snapshotter',
  'livenessprobe',
  'node-driver-registrar',
  'snapshot-controller',
]

/** Builds every image for every architecture into one layout. Images share their layers. */
export async function buildImages(options: BuildOptions): Promise<BuiltImages> {
  const { architectures, temporary, progress } = options
  const layout = createOciLayout(options.out)
  progress('packing the program')
  const program = await packProgram(temporary)
  const programLayer = layout.addLayer(program.entries)
  const tags = new Map<string, Descriptor[]>()
  const images: BuiltImage[] = []
  const boms = new Map<string, string>()
  for (const architecture of architectures) {
    progress(`downloading Node.js and system libraries for ${architecture}`)
    const node = await downloadNode(architecture, options.nodeVersion, temporary)
    const folder = join(temporary, architecture)
    const packages = await downloadDebianPackages([...BASE_PACKAGES, ...NODE_PACKAGES], architecture, folder)
    progress(`writing the images for ${architecture}`)
    for (const image of describeImages(layout, architecture, { node, packages, program, programLayer })) {
      const bom = writeSbom(image.name, options.version, image.components, digestOf(image.layers))
      boms.set(`${image.name}.${OCI_ARCHITECTURE[architecture]}.spdx.json`, bom)
      for (const { name, command } of image.entrypoints) {
        const full = `${options.registry}/${name}:${options.version}`
        const descriptor = layout.addImage(architecture, image.layers, {
          entrypoint: [...ENTRYPOINT, ...command],
          user: image.user,
          labels: labelsOf(name, options.version),
        })
        tags.set(full, [...(tags.get(full) ?? []), descriptor])
        const size = image.layers.reduce((sum, layer) => sum + layer.size, 0)
        images.push({ name: full, architecture, size, digest: descriptor.digest })
      }
    }
  }
  for (const [name, descriptors] of tags) layout.tag(name, descriptors)
  layout.finish()
  return { images, boms }
}

type Parts = { node: NodeProgram; packages: readonly DebianPackage[]; program: Program; programLayer: Layer }

type ImageDescription = {
  name: string
  user: string
  layers: readonly Layer[]
  components: readonly Component[]
  entrypoints: readonly { name: string; command: readonly string[] }[]
}

/** One image without a shell, for what talks to the API server and to drivers; one with `mount`, for what mounts. */
function describeImages(layout: OciLayout, architecture: Architecture, parts: Parts): ImageDescription[] {
  const base = parts.packages.filter(({ name }) => BASE_PACKAGES.includes(name))
  const tools = parts.packages.filter(({ name }) => NODE_PACKAGES.includes(name))
  const common = [
    { name: 'node', version: parts.node.version, purl: `pkg:generic/node@${parts.node.version}`, license: 'MIT' },
    ...parts.program.components,
  ]
  const baseLayers = [
    layout.addLayer([...ROOT_ENTRIES, ...base.flatMap(neededEntries)]),
    layout.addLayer(parts.node.entries),
  ]
  const toolLayer = layout.addLayer(tools.flatMap(neededEntries))
  const debian = (packages: readonly DebianPackage[]): Component[] =>
    packages.map(({ name, version, sha256 }) => {
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${OCI_ARCHITECTURE[architecture]}`
      return { name, version, sha256, purl }
    })
  return [
    {
      name: 'holdfast',
      user: NON_ROOT_USER,
      layers: [...baseLayers, parts.programLayer],
      components: [...common, ...debian(base)],
      entrypoints: [{ name: 'holdfast', command: [] }, ...SIDECAR_IMAGES.map((name) => ({ name, command: [name] }))],
    },
    {
      name: 'holdfast-node',
      user: '0:0',
      layers: [...baseLayers, toolLayer, parts.programLayer],
      components: [...common, ...debian([...base, ...tools])],
      entrypoints: [{ name: 'holdfast-node', command: [] }],
    },
  ]
}

const labelsOf = (name: string, version: string): Record<string, string> => ({
  'org.opencontainers.image.title': name,
  'org.opencontainers.image.version': version,
  'org.opencontainers.image.licenses': 'Apache-2.0',
})

const digestOf = (layers: readonly Layer[]): string => layers.at(-1)?.digest.replace('sha256:', '') ?? ''
