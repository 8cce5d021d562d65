/** The operator's proxy for Go modules, as a route of the endpoint. */

import { homedir } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ToEndpointUrl } from './lockfile-reading.ts'
import { readNetrc } from './netrc.ts'
import { type RegistryRoute, registryUrl } from './registry-endpoint.ts'
import { splitAddress } from './split-address.ts'

export type Env = Readonly<Record<string, string | undefined>>

export interface OperatorRegistry {
  readonly routes: readonly RegistryRoute[]
  /** For the manager in the sandbox. */
  readonly env: Readonly<Record<string, string>>
  readonly toEndpointUrl: ToEndpointUrl
  /** Folders of local mirrors. */
  readonly readOnly: readonly string[]
}

const publicProxy = 'https://proxy.golang.org/'

/** Uses the first entry of GOPROXY. Go itself verifies downloads against `go.sum`. */
export function goRegistry(env: Env = process.env, home: string = homedir()): OperatorRegistry {
  const [first = publicProxy] = (env['GOPROXY'] ?? '')
    .split(/[,|]/)
    .filter((one) => /^(?:https?|file):/.test(one))
  const fixed = { GOSUMDB: 'off', GOFLAGS: '-modcacherw', GOTOOLCHAIN: 'local', GOENV: 'off' }
  const none = { toEndpointUrl: () => undefined }
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
