export { agentEnvironment } from './agent-environment.ts'
export { defaultGatewayLimits, type GatewayLimits } from './limits.ts'
export { type Gateway, type GatewayOptions, openGateway } from './open-gateway.ts'
export { openPrices, type Price } from './price.ts'
export {
  type FormatRoutes,
  isLocal,
  localProviders,
  type ProviderSettings,
  type ProviderTable,
  publicProviders,
} from './provider.ts'
export { type KeySources, keyVariables, readKeyFile, readKeys } from './read-keys.ts'
export { type Exchange, type ExchangeBody, readExchange, writeExchange } from './record.ts'
export {
  type Divergence,
  type Normalise,
  normaliseRequest,
  type ReplaySettings,
} from './replay.ts'
export type { WireFormat } from './route.ts'
export { createSecrets, type Secrets } from './secrets.ts'
export type { Session, SessionActivity } from './session.ts'
export type { GatewayNote, SessionOptions } from './session-types.ts'
export { faultOf, type SessionTotals, type SessionTrouble } from './totals.ts'
export type { TurnEnd } from './turn.ts'
export { noUsage, type TokenUsage } from './usage.ts'
