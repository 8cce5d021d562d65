/** What `loopwright/gateway` exports: a gateway to model providers, and the exchanges that it keeps. */

export { agentEnvironment } from './agent-environment.ts'
export type { GatewayLimits } from './limits.ts'
export { type Gateway, type GatewayOptions, openGateway } from './open-gateway.ts'
export type { FormatRoutes, ProviderSettings, ProviderTable } from './provider.ts'
export { type KeySources, readKeys } from './read-keys.ts'
export {
  type Exchange,
  type ExchangeBody,
  readExchange,
  writeExchange,
} from './recorded-exchange.ts'
export type { Session } from './session.ts'
export type { GatewayNote, SessionOptions } from './session-types.ts'
export { faultOf, type SessionTotals } from './totals.ts'
export type { WireFormat } from './wire/route.ts'
export type { TokenUsage } from './wire/usage.ts'
