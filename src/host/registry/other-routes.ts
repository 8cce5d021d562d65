/** The operator's registries of Rust and Go packages, as routes of the endpoint. */

import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ToOurs } from './lockfile-reading.ts'
import { type Answer, type RegistryRoute, registryUrl } from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface OperatorRegistry {
  readonly routes: readonly RegistryRoute[]
  /** For the manager inside. */
  readonly env: Readonly<Record<string, string>>
  readonly toOurs: ToOurs
  /** Folders that it is a mirror in. */
  readonly readOnly: readonly string[]
}

const publicCrates = 'https://index.crates.io/'
const publicCrateFiles = 'https://static.crates.io/crates/'

/** A mirror in a folder of the machine is shown as it is; else the sparse index of crates.io. */
export function cargoRegistry(
  home: string = homedir(),
): OperatorRegistry & { readonly config: string } {
  const file = join(home, '.cargo', 'config.toml')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const [, folder] = /^\s*(?:directory|local-registry)\s*=\s*"([^"]+)"/m.exec(text) ?? []
  if (folder !== undefined && existsSync(folder)) {
    const kind = text.includes('local-registry') ? 'local-registry' : 'directory'
    const config = `[source.crates-io]\nreplace-with = "operator"\n[source.operator]\n${kind} = "${folder}"\n`
    return { routes: [], env: {}, toOurs: () => undefined, readOnly: [folder], config }
  }
  const [, sparse] = /"sparse\+(https?:[^"]+)"/.exec(text) ?? []
  const { upstream, headers } = splitAddress(sparse ?? publicCrates)
  const rewrite = ({ path, body }: Answer): string | undefined =>
    path === 'config.json'
      ? JSON.stringify({
          ...(JSON.parse(body) as object),
          dl: `${registryUrl}crates/0`,
          api: undefined,
        })
      : undefined
  return {
    routes: [
      { prefix: 'cargo/0', upstream, headers, rewrite },
      { prefix: 'crates/0', upstream: publicCrateFiles, headers: {} },
    ],
    env: {},
    toOurs: () => undefined,
    readOnly: [],
    config: `[source.crates-io]\nreplace-with = "operator"\n[source.operator]\nregistry = "sparse+${registryUrl}cargo/0/"\n`,
  }
}

const publicProxy = 'https://proxy.golang.org/'

/** The first entry of GOPROXY. What is fetched is compared with `go.sum` by go itself. */
export function goRegistry(env: Env = process.env): OperatorRegistry {
  const [first = publicProxy] = (env['GOPROXY'] ?? '')
    .split(/[,|]/)
    .filter((one) => /^(?:https?|file):/.test(one))
  const fixed = { GOSUMDB: 'off', GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local', GOENV: 'off' }
  const none = { toOurs: () => undefined }
  if (first.startsWith('file:')) {
    return {
      ...none,
      routes: [],
      env: { ...fixed, GOPROXY: first },
      readOnly: [new URL(first).pathname],
    }
  }
  const { upstream, headers } = splitAddress(first)
  return {
    ...none,
    routes: [{ prefix: 'go/0', upstream, headers }],
    env: { ...fixed, GOPROXY: `${registryUrl}go/0` },
    readOnly: [],
  }
}
