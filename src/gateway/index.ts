export { agentEnvironment } from './agent-environment.ts'
export { type Gateway, type GatewayOptions, openGateway } from './open-gateway.ts'
export { openPrices, type Price } from './pricing/price.ts'
export {
  type FormatRoutes,
  isLocal,
  localProviders,
  type ProviderSettings,
  type ProviderTable,
  publicProviders,
} from './provider.ts'
export { type KeySources, keyVariables, readKeyFile, readKeys } from './read-keys.ts'
export {
  type Exchange,
  type ExchangeBody,
  readExchange,
  writeExchange,
} from './recorded-exchange.ts'
export {
  type Divergence,
  type Normalise,
  normaliseRequest,
  type ReplaySettings,
} from './replay.ts'
export { createSecrets, type Secrets } from './secrets/secrets.ts'
export type { Session, SessionActivity } from './session.ts'
export type { GatewayNote, SessionOptions } from './session-types.ts'
export { faultOf, type SessionTotals, type SessionTrouble } from './totals.ts'
export type { WireFormat } from './wire/route.ts'
export type { TurnEnd } from './wire/turn.ts'
export { noUsage, type TokenUsage } from './wire/usage.ts'
