// What was sent to a model and what came back, by the event that recorded it.

import { expect, test } from 'vitest'
import type { StepId } from '../../src/loop/index.ts'
import { writeRun } from '../../src/testing/write-run.ts'
import { openApi } from './api-fixture.ts'

test('a prompt is shown as it was sent, shortened; other events are refused', async () => {
  const { host, get } = await openApi()
  const long = `Fix it.\n${'x'.repeat(300_000)}`
  const content = Buffer.from(long)
  const { blob } = await host.blobs.put(content)
  const run = await writeRun(host.journal, { name: 'asks' })
  const step = 'agent:maker#1' as StepId
  await run.write(
    { type: 'run-started', owner: 'me', fence: 1 },
    { type: 'iteration-started', iteration: 1 },
    { type: 'step-started', iteration: 1, step, attempt: 1, kind: 'agent' },
    {
      type: 'step-noted',
      iteration: 1,
      step,
      note: { type: 'prompted', blob, bytes: content.length },
    },
  )
  const { status, body } = await get('/runs/asks/exchanges/5')
  expect(status).toBe(200)
  expect(body).toMatchObject({ seq: 5, step, leftOut: { sent: long.length - 200_000 } })
  expect(body['sent']).toBe(long.slice(0, 200_000))
  for (const seq of [4, 99]) expect((await get(`/runs/asks/exchanges/${seq}`)).status).toBe(404)
})
