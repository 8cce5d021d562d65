/**
 * Links to the dashboard. A link has a code that works once and for a minute. The page sends the code and gets the
 * token of its tab, so that neither the address bar nor the history of a browser ever has a token.
 *
 * D5. A code is removed when it is used, whatever comes of it, and only its digest is in memory.
 */

import { randomBytes } from 'node:crypto'
import type { DashboardLink } from '../../protocol/api/index.ts'
import { createRecentMap } from '../../system/recent-map.ts'
import { digestToken } from '../named-tokens.ts'
import type { Tokens } from '../tokens.ts'

export interface Dashboard {
  /** `token`: identifies the token of the request, as in `Passed`. */
  createLink(token: string): DashboardLink
  /** Returns the token for the tab; undefined: the code is unknown, used or too old. */
  exchange(code: string): TabToken | undefined
}

export interface TabToken {
  readonly token: string
  readonly scope: 'read' | 'write'
  readonly name?: string
}

export interface DashboardOptions {
  /** The address of the daemon. */
  address(): string
  readonly tokens: Pick<Tokens, 'derive'>
  now?(): number
}

const validMs = 60_000
/** Older codes no longer work. */
const codesMax = 32

export function openDashboard({ address, tokens, now = Date.now }: DashboardOptions): Dashboard {
  const codes = createRecentMap<string, { readonly token: string; readonly expiresAtMs: number }>(
    codesMax,
  )
  const keyOf = (code: string): string => digestToken(code).toString('hex')
  return {
    createLink(token) {
      const code = randomBytes(32).toString('base64url')
      const expiresAtMs = now() + validMs
      codes.set(keyOf(code), { token, expiresAtMs })
      return { url: `${address()}/ui/#code=${code}`, expiresAtMs }
    },
    exchange(code) {
      const known = codes.take(keyOf(code))
      if (known === undefined || known.expiresAtMs <= now()) return undefined
      return tokens.derive(known.token)
    },
  }
}
