/** Cedar, as WebAssembly in this process. It takes 60 ms to load, so it is loaded only if there is a policy. */

import type * as cedar from '@cedar-policy/cedar-wasm/nodejs'

export type Cedar = typeof cedar

let loading: Promise<Cedar> | undefined

export function loadCedar(): Promise<Cedar> {
  loading ??= import('@cedar-policy/cedar-wasm/nodejs')
  return loading
}
