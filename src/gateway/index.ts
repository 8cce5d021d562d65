export { agentEnvironment } from './agent-environment.ts'
export { type Gateway, type GatewayOptions, openGateway } from './open-gateway.ts'
export { openPrices, type Price } from './pricing/price.ts'
export { isLocalHostname, localProviders, type ProviderTable, publicProviders } from './provider.ts'
export { keyVariables, readKeyFile, readKeys } from './read-keys.ts'
export {
  type Exchange,
  type ExchangeBody,
  readExchange,
  writeExchange,
} from './recorded-exchange.ts'
export { type Normalize, type ReplaySettings } from './replay.ts'
export { createSecrets } from './secrets/secrets.ts'
export type { Session, SessionActivity } from './session.ts'
export type { GatewayNote, SessionOptions } from './session-types.ts'
export { faultOf, type SessionTotals, type SessionTrouble } from './totals.ts'
export { noUsage } from './wire/usage.ts'
