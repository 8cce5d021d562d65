import { describe, expect, test } from 'vitest'
import { captureGoal, goalInput, renderGoal } from './goal-file.ts'

const goal = {
  schema: 'harness.goal.v1',
  id: 'shop',
  objective: 'A shop that never loses an order',
  invariants: ['No order is lost'],
  phases: [{ name: 'cart', status: 'running' }],
  verify: ['npm test'],
}

const capture = (text: string | undefined, path: string | undefined = 'goal.json') =>
  captureGoal(path, { a: 1 }, async () =>
    text === undefined ? undefined : { path: 'goal.json', text },
  )

describe('a goal file', () => {
  test('is captured with its defaults, and quoted as data', async () => {
    const input = await capture(JSON.stringify(goal))
    expect(input['a']).toBe(1)
    const shown = renderGoal(input)
    expect(shown).toContain('````json\n{\n  "schema": "harness.goal.v1",\n  "id": "shop",')
    expect(shown).toContain('"context": []')
  })

  test('is not needed', async () => {
    expect(await captureGoal(undefined, { a: 1 }, async () => undefined)).toEqual({ a: 1 })
    expect(renderGoal({ [goalInput]: 'text' })).toBe('')
  })

  test.each<[string | undefined, RegExp]>([
    [undefined, /goal\.json cannot be used: it does not exist/],
    ['{', /it is not JSON/],
    ['[]', /it: Invalid input/],
    [JSON.stringify({ ...goal, schema: 'other' }), /schema: /],
    [JSON.stringify({ ...goal, phases: [{ name: 'x', status: 'great' }] }), /phases\.0\.status: /],
    [JSON.stringify({ ...goal, run: 'rm -rf /' }), /Unrecognized key/],
    [
      JSON.stringify({ ...goal, verify: Array.from({ length: 20 }, () => 'x'.repeat(1999)) }),
      /longer than/,
    ],
  ])('%s is refused', async (text, reason) => {
    await expect(capture(text)).rejects.toMatchObject({
      code: 'bad-request',
      message: expect.stringMatching(reason),
    })
  })
})
