import { expect, test } from 'vitest'
import type { WireFormat } from '../wire/route.ts'
import { watchResponse } from '../wire/watch-response.ts'
import { type ExtraPrice, toExtraPrice } from './extra-price.ts'

function extrasOf(format: WireFormat, values: readonly object[], isStream: boolean): ExtraPrice {
  const watch = watchResponse(format, isStream)
  for (const value of values) {
    const text = JSON.stringify(value)
    watch.push(Buffer.from(isStream ? `data: ${text}\n\n` : text))
  }
  watch.end()
  return toExtraPrice(watch.reading.extras)
}

const search = { type: 'web_search_call', id: 'ws_1' }
const output = [search, { ...search, id: 'ws_2' }, { type: 'function_call', call_id: 'c' }]
const done = (item: object): object => ({ type: 'response.output_item.done', item })

test.each<[string, WireFormat, readonly object[], boolean, ExtraPrice]>([
  ['two searches', 'responses', [{ output }], false, { factor: 1, callMicros: 20_000 }],
  [
    'two searches that are reported twice',
    'responses',
    [...output.map(done), { type: 'response.completed', response: { output } }],
    true,
    { factor: 1, callMicros: 20_000 },
  ],
  [
    'searches in a stream that broke off',
    'responses',
    output.map(done),
    true,
    { factor: 1, callMicros: 20_000 },
  ],
  [
    'an unknown tool',
    'responses',
    [{ output: [{ type: 'telephone_call' }] }],
    false,
    { factor: 1, callMicros: 10_000 },
  ],
  [
    'a faster tier than requested',
    'responses',
    [{ type: 'response.completed', response: { service_tier: 'priority', output: [] } }],
    true,
    { factor: 2, callMicros: 0 },
  ],
  ['as usual', 'chat', [{ service_tier: 'default' }], false, { factor: 1, callMicros: 0 }],
  [
    'citations',
    'chat',
    [{ choices: [{ message: { annotations: [{ type: 'url_citation' }] } }] }],
    false,
    { factor: 1, callMicros: 10_000 },
  ],
  ['fast mode', 'anthropic', [{ usage: { speed: 'fast' } }], false, { factor: 6, callMicros: 0 }],
  [
    'a tier that is paid for in advance',
    'anthropic',
    [
      {
        type: 'message_start',
        message: { usage: { service_tier: 'priority', speed: 'standard' } },
      },
    ],
    true,
    { factor: 1, callMicros: 0 },
  ],
  [
    'Gemini searches',
    'gemini',
    [{ candidates: [{ groundingMetadata: { webSearchQueries: ['a', 'b'] } }] }],
    false,
    { factor: 1, callMicros: 70_000 },
  ],
])('%s in the format %s', (_name, format, values, isStream, extra) => {
  expect(extrasOf(format, values, isStream)).toEqual(extra)
})
