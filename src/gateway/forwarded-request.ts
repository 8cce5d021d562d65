/** A request that goes to a provider, and a provider's refusal of one. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ProviderAnswerKind } from '../loop/index.ts'
import type { Provider } from './provider.ts'
import type { RequestShape } from './read-request.ts'
import type { Route } from './route.ts'
import type { ClientMask } from './secrets.ts'

export interface ForwardedRequest {
  readonly route: Route
  readonly shape: RequestShape
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
  readonly provider: Provider
  readonly client: ServerResponse
  readonly signal: AbortSignal
}

/** It said no. Nothing of that has reached the client. */
export interface ProviderRefusal {
  readonly type: 'refused'
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly kind: ProviderAnswerKind
  readonly mask: ClientMask
}
