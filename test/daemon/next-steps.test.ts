/** Wrong uses of the API: each gets a problem whose detail says what to do next. */

import { beforeAll, expect, test } from 'vitest'
import { problemSchema } from '../../src/protocol/api/index.ts'
import { saysWhatNext } from '../next-step.ts'
import { type StartedDaemon, startDaemon } from './start-daemon.ts'

let daemon: StartedDaemon

beforeAll(async () => {
  daemon = await startDaemon()
})

const uses: readonly [method: string, path: string, body?: unknown][] = [
  ['GET', '/nothing'],
  ['PUT', '/runs'],
  ['GET', '/runs?limit=many'],
  ['GET', '/runs?limit=0'],
  ['GET', '/runs?status=SOMETHING'],
  ['GET', '/runs?cursor=x'],
  ['GET', '/runs?colour=red'],
  ['GET', '/runs/gone'],
  ['GET', '/runs/gone/steps'],
  ['GET', '/runs/gone/diff'],
  ['GET', '/runs/gone/events?after=x'],
  ['GET', '/runs/gone/artifacts/summary.json'],
  ['DELETE', '/runs/gone'],
  ['POST', '/runs', {}],
  ['POST', '/runs', []],
  ['POST', '/runs', { file: 'here.yaml' }],
  ['POST', '/runs', { file: '/nonexistent/loop.yaml' }],
  ['POST', '/runs', { file: '/nonexistent/loop.yaml', colour: 'red' }],
  ['POST', '/runs', { file: '/nonexistent/loop.yaml', priority: 1000 }],
  ['POST', '/runs/gone/pause', {}],
  ['POST', '/runs/gone/retry', {}],
  ['POST', '/runs/gone/fork', {}],
  ['POST', '/runs/gone/questions/1/answer', { answer: 'x' }],
  ['POST', '/runs/gone/merge', { strategy: 'force' }],
  ['PATCH', '/runs/gone/limits', { limits: { iterations: 'many' } }],
  ['GET', '/certificates/gone'],
  ['GET', '/events?after=-1'],
  ['POST', '/loops/preview', { file: 'here.yaml' }],
  ['POST', '/loops/plan', {}],
]

test.each(uses)('%s %s %j is refused with what to do next', async (method, path, body) => {
  const answer = await daemon.ask(method, path, body)
  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  const problem = problemSchema.parse(answer.json())
  expect(problem.detail).toSatisfy(saysWhatNext)
})
