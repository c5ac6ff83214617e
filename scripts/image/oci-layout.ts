import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeTar, type TarEntry } from './tar.ts'

/** The names of an architecture: Node's, the image specification's (and Debian's). */
export type Architecture = 'x64' | 'arm64'

export const OCI_ARCHITECTURE: Readonly<Record<Architecture, 'amd64' | 'arm64'>> = { x64: 'amd64', arm64: 'arm64' }

/** A layer that several images share. */
export type Layer = { digest: string; size: number; diffId: string }

export type ImageConfig = {
  entrypoint: readonly string[]
  user: string
  labels: Readonly<Record<string, string>>
}

export type Descriptor = {
  mediaType: string
  digest: string
  size: number
  platform?: { os: 'linux'; architecture: string }
  annotations?: Readonly<Record<string, string>>
}

export type OciLayout = {
  addLayer(entries: readonly TarEntry[]): Layer
  addImage(architecture: Architecture, layers: readonly Layer[], config: ImageConfig): Descriptor
  /** Publishes images of several architectures under one name. */
  tag(name: string, images: readonly Descriptor[]): void
  /** Writes the index. Without it, the folder is no layout. */
  finish(): void
}

const INDEX = 'application/vnd.oci.image.index.v1+json'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'

/** The image specification requires a time. A fixed one keeps two builds of the same source equal. */
const CREATED = '1970-01-01T00:00:00Z'

/** Writes an OCI image layout into an empty folder: blobs named by their content, and an index. */
export function createOciLayout(folder: string): OciLayout {
  const blobs = join(folder, 'blobs', 'sha256')
  mkdirSync(blobs, { recursive: true })
  const tagged: Descriptor[] = []

  const addBlob = (content: Uint8Array): { digest: string; size: number } => {
    const hash = sha256(content)
    writeFileSync(join(blobs, hash), content)
    return { digest: `sha256:${hash}`, size: content.length }
  }
  const addJson = (mediaType: string, value: object): Descriptor => ({
    mediaType,
    ...addBlob(Buffer.from(JSON.stringify(value))),
  })

  return {
    addLayer: (entries) => {
      const archive = writeTar(entries)
      return { ...addBlob(compress(archive)), diffId: `sha256:${sha256(archive)}` }
    },
    addImage: (architecture, layers, { entrypoint, user, labels }) => {
      const platform = { os: 'linux', architecture: OCI_ARCHITECTURE[architecture] } as const
      const config = addJson(CONFIG, {
        created: CREATED,
        ...platform,
        config: { User: user, Env: ['PATH=/usr/sbin:/usr/bin:/sbin:/bin'], Entrypoint: entrypoint, Labels: labels },
        rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
        history: layers.map(() => ({ created: CREATED })),
      })
      const manifest = addJson(MANIFEST, {
        schemaVersion: 2,
        mediaType: MANIFEST,
        config,
        layers: layers.map(({ digest, size }) => ({ mediaType: LAYER, digest, size })),
        annotations: labels,
      })
      return { ...manifest, platform }
    },
    tag: (name, images) => {
      const index = addJson(INDEX, { schemaVersion: 2, mediaType: INDEX, manifests: images })
      const annotations = { 'io.containerd.image.name': name, 'org.opencontainers.image.ref.name': name }
      tagged.push({ ...index, annotations })
    },
    finish: () => {
      writeFileSync(
        join(folder, 'index.json'),
        JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: tagged }),
      )
      writeFileSync(join(folder, 'oci-layout'), JSON.stringify({ imageLayoutVersion: '1.0.0' }))
    },
  }
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** gzip writes no time, but one byte for the operating system it ran on: "unknown" on every machine. */
function compress(content: Uint8Array): Buffer {
  const compressed = gzipSync(content)
  compressed[9] = 255
  return compressed
}
