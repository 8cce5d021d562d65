/** A request to a provider, and a provider's refusal of one. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ProviderResponseKind } from '../loop/index.ts'
import type { Provider } from './provider.ts'
import type { ClientMask } from './secrets/secrets.ts'
import type { RequestShape } from './wire/read-request.ts'
import type { Route } from './wire/route.ts'

export interface ForwardedRequest {
  readonly route: Route
  readonly shape: RequestShape
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
  readonly provider: Provider
  readonly client: ServerResponse
  readonly signal: AbortSignal
}

/** The provider refused. None of it has reached the client yet. */
export interface ProviderRefusal {
  readonly type: 'refused'
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly kind: ProviderResponseKind
  readonly mask: ClientMask
}
