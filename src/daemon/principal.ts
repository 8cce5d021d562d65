/**
 * Who a request comes from. Over HTTP the guard derives it from the token; in process the caller passes it. A
 * request without a principal is refused, so that nothing can bypass the guard by accident.
 */

import type { OutgoingMessage } from 'node:http'
import { LoopError } from '../loop/index.ts'
import type { RequestScope } from './parts.ts'

export interface Principal {
  /** `process`: the code that opened this state folder, which has full access anyway. */
  readonly type: 'token' | 'process'
  readonly scope: RequestScope
  /** The person that a named token belongs to. Absent: the user of the daemon. */
  readonly name?: string
  /** Identifies the token. Never leaves this process. */
  readonly token?: string
}

/** What comes with a request besides its content. */
export interface RequestBindings {
  readonly principal?: Principal | undefined
  /** Of a request over HTTP. */
  readonly outgoing?: OutgoingMessage
  /** In process: gets the original error; the response has only its code and message. */
  readonly onError?: (error: unknown) => void
}

/** Requests to these paths may have a signature instead of a token. */
export const hookPath: RegExp = /^\/hooks\/[a-z0-9-]{1,64}$/

const readMethods: ReadonlySet<string> = new Set(['GET', 'HEAD'])

export function requirePrincipal(
  method: string,
  path: string,
  principal: Principal | undefined,
): void {
  if (principal === undefined) {
    throw new LoopError('no-token', 'The request has no principal. Send it through the daemon.')
  }
  if (principal.scope === 'hook') {
    // The signature is checked there, over the body that the guard does not read.
    if (method === 'POST' && hookPath.test(path)) return
    throw new LoopError(
      'no-token',
      'The request has no token. Pass one as "Authorization: Bearer …".',
    )
  }
  if (principal.scope === 'write' || readMethods.has(method)) return
  throw new LoopError('forbidden', 'This token can only read. Use the token in daemon/token.')
}
