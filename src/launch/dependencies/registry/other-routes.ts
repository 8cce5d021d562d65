/** The operator's proxy of Go modules, as a route of the endpoint. */

import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ToOurs } from './lockfile-reading.ts'
import { readNetrc } from './netrc.ts'
import { type RegistryRoute, registryUrl } from './registry-endpoint.ts'
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

const publicProxy = 'https://proxy.golang.org/'

/** The first entry of GOPROXY. What is fetched is compared with `go.sum` by go itself. */
export function goRegistry(env: Env = process.env, home: string = homedir()): OperatorRegistry {
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
      readOnly: [fileURLToPath(first)],
    }
  }
  const { upstream, headers } = splitAddress(first, readNetrc(env, home))
  return {
    ...none,
    routes: [{ prefix: 'go/0', upstream, headers }],
    env: { ...fixed, GOPROXY: `${registryUrl}go/0` },
    readOnly: [],
  }
}
