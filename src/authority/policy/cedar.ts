/** Cedar, as WebAssembly in this process. It takes 60 ms to load, so it is loaded only if there is a policy. */

import { setFlagsFromString } from 'node:v8'
import type * as cedar from '@cedar-policy/cedar-wasm/nodejs'

export type Cedar = typeof cedar

let loading: Promise<Cedar> | undefined

export function loadCedar(): Promise<Cedar> {
  loading ??= load()
  return loading
}

/**
 * Node 20 aborted once under thousands of decisions, while it left code into which V8 had inlined a call of WebAssembly.
 * An abort ends the daemon, so calls are not inlined there; a decision takes as long as before.
 */
async function load(): Promise<Cedar> {
  if (process.versions.node.startsWith('20.')) {
    setFlagsFromString('--no-turbo-inline-js-wasm-calls')
  }
  return await import('@cedar-policy/cedar-wasm/nodejs')
}
