/**
 * Who a request comes from. Whatever brings requests to the routes says so: over HTTP the guard, from the
 * token; in process the caller itself. A request without a principal is refused, so that no way around the
 * guard can open by accident.
 */

import type { OutgoingMessage } from 'node:http'
import { LoopError } from '../loop/index.ts'
import type { Scope } from './parts.ts'

export interface Principal {
  /** `process`: the code that opened this state folder, which could do everything without asking. */
  readonly type: 'token' | 'process'
  readonly scope: Scope
}

/** What comes with a request besides its text. */
export interface RequestBindings {
  readonly principal?: Principal | undefined
  /** Of a request over HTTP. */
  readonly outgoing?: OutgoingMessage
  /** In process: gets the error itself, of which the answer has only code and message. */
  readonly onError?: (error: unknown) => void
}

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export function requirePrincipal(method: string, principal: Principal | undefined): void {
  if (principal === undefined) {
    throw new LoopError('no-token', 'The request has no principal. Send it through the daemon.')
  }
  if (principal.scope === 'write' || readMethods.has(method)) return
  throw new LoopError('forbidden', 'This token can only read. Use the token in daemon/token.')
}
