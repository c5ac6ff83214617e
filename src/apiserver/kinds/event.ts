import { validateName, validateQualifiedName } from '../../api/names.ts'
import { EVENTS } from '../../api/kinds/event.ts'
import type { Event } from '../../api/kinds/event.ts'
import { EVENTS_V1_EVENTS } from '../../api/kinds/events-v1-event.ts'
import type { EventsV1Event } from '../../api/kinds/events-v1-event.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { Draft, FieldProblem } from '../core/kind-definition.ts'
import { integer, NAME, text, wide } from './columns.ts'
import type { TypedColumn } from './columns.ts'
import { kindTable } from './define-kind.ts'
import { formatAge } from './human-duration.ts'
import type { Loose } from './loose.ts'
import { immutable, invalid, invalidFor, required } from './rules/problems.ts'
import { storageOf } from '../core/stored-object.ts'

const MOST_NAME_BYTES = 128
const MOST_MESSAGE_BYTES = 1024

const lastSeen = ({ series, lastTimestamp, ...event }: Loose<Event>, nowMs: number): string =>
  series
    ? formatAge(series.lastObservedTime, nowMs)
    : lastTimestamp
      ? formatAge(lastTimestamp, nowMs)
      : firstSeen(event, nowMs)

const firstSeen = ({ firstTimestamp, eventTime }: Loose<Event>, nowMs: number): string =>
  formatAge(firstTimestamp || eventTime, nowMs)

const COLUMNS: readonly TypedColumn<Event>[] = [
  text('Last Seen', lastSeen),
  text('Type', ({ type }) => type ?? ''),
  text('Reason', ({ reason }) => reason ?? ''),
  text('Object', ({ involvedObject }) => {
    const kind = (involvedObject?.kind ?? '').toLowerCase()
    return involvedObject?.name ? `${kind}/${involvedObject.name}` : kind
  }),
  wide('Subobject', ({ involvedObject }) => involvedObject?.fieldPath ?? ''),
  wide('Source', ({ source, reportingComponent, reportingInstance }) => {
    const host = source?.host || reportingInstance
    return `${source?.component || reportingComponent || ''}${host ? `, ${host}` : ''}`
  }),
  text('Message', ({ message }) => (message ?? '').trim()),
  wide('First Seen', firstSeen),
  {
    ...integer('Count', ({ series, count }) => (series ? (series.count ?? 0) : count || 1)),
    type: 'string',
    priority: 1,
  },
  { ...NAME, priority: 1 },
]

/** The event of the core group, which is also the stored form of all events. */
export const EVENT_KIND = kindTable<Event>({
  type: EVENTS,
  shortNames: ['ev'],
  name: 'path-segment',
  createOnUpdate: true,
  columns: COLUMNS,
  fieldLabels: {
    ...referenceLabels('involvedObject', ({ involvedObject }: Loose<Event>) => involvedObject),
    reason: ({ reason }) => reason ?? '',
    reportingComponent: ({ reportingComponent }) => reportingComponent ?? '',
    source: ({ source, reportingComponent }) => source?.component || reportingComponent || '',
    type: ({ type }) => type ?? '',
  },
  validate: (object) => eventProblems(object, 'reportingComponent'),
})

/** The same events under the names of `events.k8s.io`, which has stricter rules. */
export const EVENTS_V1_EVENT_KIND = kindTable<EventsV1Event>({
  type: EVENTS_V1_EVENTS,
  shortNames: ['ev'],
  storage: storageOf(EVENTS),
  storedApiVersion: apiVersionOf(EVENTS),
  createOnUpdate: true,
  columns: COLUMNS.map((column) => ({
    ...column,
    cell: (object: Loose<EventsV1Event>, nowMs: number) => column.cell(coreEvent(object), nowMs),
  })),
  fieldLabels: {
    ...referenceLabels('regarding', ({ regarding }: Loose<EventsV1Event>) => regarding),
    reason: ({ reason }) => reason ?? '',
    reportingController: ({ reportingController }) => reportingController ?? '',
    type: ({ type }) => type ?? '',
  },

  // Problems use the field names of the core group, here as well.
  validate(object, old) {
    const event = coreEvent(object)
    return [...eventProblems(event, 'reportingController'), ...(old ? [] : newEventProblems(event))]
  },

  validateUpdate(object, old) {
    const event = coreEvent(object)
    const before = coreEvent(old)
    const fixed = (field: string, member: keyof Event): FieldProblem[] =>
      immutable(field, event[member], before[member])
    return [
      ...(JSON.stringify(event.series) === JSON.stringify(before.series) ? [] : seriesProblems(event)),
      ...fixed('involvedObject', 'involvedObject'),
      ...fixed('reason', 'reason'),
      ...fixed('message', 'message'),
      ...fixed('source', 'source'),
      ...fixed('firstTimestamp', 'firstTimestamp'),
      ...fixed('lastTimestamp', 'lastTimestamp'),
      ...fixed('count', 'count'),
      ...fixed('type', 'type'),
      ...fixed('eventTime', 'eventTime'),
      ...fixed('action', 'action'),
      ...fixed('related', 'related'),
      ...fixed('reportingController', 'reportingComponent'),
      ...fixed('reportingInstance', 'reportingInstance'),
    ]
  },

  toStored: (object) => coreEvent(object as Loose<EventsV1Event>) as Draft,
  fromStored: (object) => eventsV1Event(object as Loose<Event>) as Draft,
})

function referenceLabels<T>(
  name: string,
  read: (object: T) => Loose<Event>['involvedObject'],
): Record<string, (object: T) => string> {
  const members = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const
  return Object.fromEntries(members.map((member) => [`${name}.${member}`, (object: T) => read(object)?.[member] ?? '']))
}

/** An event of `events.k8s.io` as the core group writes it. Fields that the type always writes are set, other empty fields are not. */
export function coreEvent(event: Loose<EventsV1Event>): Loose<Event> {
  const { apiVersion: _apiVersion, regarding, note, reportingController, deprecatedSource, ...rest } = event
  const { deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...shared } = rest
  return {
    apiVersion: 'v1',
    ...shared,
    involvedObject: regarding ?? {},
    ...(note ? { message: note } : {}),
    source: deprecatedSource ?? {},
    firstTimestamp: deprecatedFirstTimestamp ?? null,
    lastTimestamp: deprecatedLastTimestamp ?? null,
    ...(deprecatedCount ? { count: deprecatedCount } : {}),
    eventTime: event.eventTime ?? null,
    reportingComponent: reportingController ?? '',
    reportingInstance: event.reportingInstance ?? '',
  }
}

/** The reverse conversion. */
export function eventsV1Event(event: Loose<Event>): Loose<EventsV1Event> {
  const {
    apiVersion: _apiVersion,
    involvedObject,
    message,
    source,
    reportingComponent,
    reportingInstance,
    series,
    ...rest
  } = event
  const { firstTimestamp, lastTimestamp, count, ...shared } = rest
  return {
    apiVersion: 'events.k8s.io/v1',
    ...shared,
    eventTime: event.eventTime ?? null,
    // Here both members of a series are always written.
    ...(series
      ? {
          series: {
            count: series.count ?? 0,
            ...(series.lastObservedTime ? { lastObservedTime: series.lastObservedTime } : {}),
          },
        }
      : {}),
    ...(reportingComponent ? { reportingController: reportingComponent } : {}),
    ...(reportingInstance ? { reportingInstance } : {}),
    regarding: involvedObject ?? {},
    ...(message ? { note: message } : {}),
    deprecatedSource: source ?? {},
    deprecatedFirstTimestamp: firstTimestamp ?? null,
    deprecatedLastTimestamp: lastTimestamp ?? null,
    ...(count ? { deprecatedCount: count } : {}),
  }
}

function eventProblems(event: Loose<Event>, controllerField: string): FieldProblem[] {
  const namespace = event.metadata?.namespace ?? ''
  return [
    ...(event.eventTime
      ? newStyleProblems(event, namespace, controllerField)
      : namespaceProblems(event, namespace, ['', 'default'])),
    ...invalidFor('namespace', namespace, validateName('subdomain', namespace)),
  ]
}

function namespaceProblems(
  { involvedObject, eventTime }: Loose<Event>,
  namespace: string,
  whenNone: readonly string[],
): FieldProblem[] {
  const about = involvedObject?.namespace ?? ''
  const isRight = about === '' ? whenNone.includes(namespace) : Boolean(eventTime) || about === namespace
  return isRight ? [] : [invalid('involvedObject.namespace', about, 'does not match event.namespace')]
}

function newStyleProblems(event: Loose<Event>, namespace: string, controllerField: string): FieldProblem[] {
  const controller = event.reportingComponent ?? ''
  return [
    ...namespaceProblems(event, namespace, ['default', 'kube-system']),
    ...(controller === '' ? [required(controllerField)] : []),
    ...invalidFor(controllerField, controller, validateQualifiedName(controller)),
    ...boundedProblems('reportingInstance', event.reportingInstance, MOST_NAME_BYTES),
    ...boundedProblems('action', event.action, MOST_NAME_BYTES),
    ...boundedProblems('reason', event.reason, MOST_NAME_BYTES),
    ...lengthProblems('message', event.message, MOST_MESSAGE_BYTES),
  ]
}

const boundedProblems = (field: string, value: string | undefined, most: number): FieldProblem[] =>
  value ? lengthProblems(field, value, most) : [required(field)]

const lengthProblems = (field: string, value: string | undefined, most: number): FieldProblem[] =>
  Buffer.byteLength(value ?? '') > most ? [invalid(field, '', `can have at most ${most} characters`)] : []

function newEventProblems(event: Loose<Event>): FieldProblem[] {
  const { type = '', source } = event
  const unset = (field: string, isSet: unknown): FieldProblem[] =>
    isSet ? [invalid(field, '', 'needs to be unset')] : []
  return [
    ...seriesProblems(event),
    ...(event.eventTime ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', event.firstTimestamp),
    ...unset('lastTimestamp', event.lastTimestamp),
    ...unset('count', event.count),
    ...unset('source', source?.component || source?.host),
  ]
}

function seriesProblems({ series }: Loose<Event>): FieldProblem[] {
  if (!series) return []
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ]
}
