// Packages in the operator's registry, as npm publishes them.

import { createHash } from 'node:crypto'
import type { RegistryAnswer, Scene } from './attack.ts'
import { type Entry, tarball } from './tarball.ts'

export interface Published {
  readonly name: string
  readonly version?: string
  readonly manifest?: object
  readonly entries?: readonly Entry[]
  /** Overrides the URL in the registry. */
  readonly archive?: string
  /** Overrides the archive. */
  readonly answer?: RegistryAnswer
}

const bytesOf = ({ name, version = '1.0.0', manifest = {}, entries = [] }: Published): Buffer =>
  tarball([
    { name: 'package/package.json', content: JSON.stringify({ name, version, ...manifest }) },
    ...entries,
  ])

const integrityOf = (one: Published): string =>
  `sha512-${createHash('sha512').update(bytesOf(one)).digest('base64')}`

const archivePath = ({ name, version = '1.0.0' }: Published): string =>
  `${name}/-/${name.replace(/^@[^/]*\//, '')}-${version}.tgz`

export function publish(scene: Scene, one: Published): Readonly<Record<string, RegistryAnswer>> {
  const { name, version = '1.0.0', manifest = {} } = one
  const dist = {
    tarball: one.archive ?? `${scene.registry}${archivePath(one)}`,
    integrity: integrityOf(one),
  }
  const versions = { [version]: { name, version, ...manifest, dist } }
  const document = { name, 'dist-tags': { latest: version }, versions }
  return {
    [`/${name}`]: { body: JSON.stringify(document) },
    [`/${archivePath(one)}`]: one.answer ?? {
      headers: { 'content-type': 'application/octet-stream' },
      body: bytesOf(one),
    },
  }
}

/** Its entry in a lockfile of npm. */
export const locked = (scene: Scene, one: Published, more: object = {}): object => ({
  version: one.version ?? '1.0.0',
  resolved: `${scene.registry}${archivePath(one)}`,
  integrity: integrityOf(one),
  ...more,
})
