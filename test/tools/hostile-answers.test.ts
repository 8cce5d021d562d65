// A tool may pass on foreign data that looks like a result.

import { expect, test } from 'vitest'
import type { Json } from '../../src/loop/index.ts'
import { openBench } from './fixture.ts'

test.each<Json>([
  { ok: false, output: 'no', error: { a: 1 } },
  { ok: false, output: 'no', error: '\u001b[2J' },
  { ok: false, output: 'no', error: 'x'.repeat(100_000) },
  { ok: false, output: 'no', error: 'x\ny', spilled: null },
  { ok: false, output: 'no', error: null, spilled: { file: '@output/1.txt', bytes: -5 } },
  { ok: false, output: 'no', error: 5, spilled: { file: 7, bytes: 1 } },
])('an invalid code or size is not passed on: %o', async (answer) => {
  const parameters = { type: 'object' }
  const bench = openBench([
    { name: 'get', description: 'Gets.', parameters, risk: 'network', run: () => answer },
  ])
  const result = await bench.call('get', {})
  bench.close()
  expect(result).toEqual({ ok: false, output: 'no', error: 'tool-failed' })
})
