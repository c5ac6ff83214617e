/** A socket in one of the directories that are watched. */
export type Sighting = {
  readonly path: string
  /** Another one under the same name has another. */
  readonly identity: string
  /** Who answers there: a registrar, or the driver itself. */
  readonly via: 'registrar' | 'driver'
}
