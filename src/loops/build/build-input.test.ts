import { describe, expect, test } from 'vitest'
import type { Json } from '../../loop/index.ts'
import { captureInput, draftPath } from './build-input.ts'

const files: Readonly<Record<string, string>> = {
  'specs/shop.md': '# Shop\n',
  'specs/list.md': '# Shop\n\n- [ ] a\n',
  'specs/empty.md': ' \n',
  'specs/long.md': 'x'.repeat(600_000),
  'specs/planned.md': '# Planned\n',
  'specs/planning/planned-plan.md': '- [ ] planned\n',
  'plans/own.md': '- [ ] own\n',
  'plans/none.md': '# Nothing\n',
  'plans/many.md': '- [ ] a\n'.repeat(1001),
  'specs/many.md': '- [ ] a\n'.repeat(1001),
}
const read = async (path: string) => {
  const text = files[path]
  return text === undefined ? undefined : { path, text }
}
const capture = (
  input: { readonly [name: string]: Json },
  settings: { readonly spec?: string; readonly plan?: string } = {},
) => captureInput(settings, input, read)

describe('the input of a build', () => {
  test.each<
    [string, { readonly [name: string]: Json }, object, string | undefined, string | undefined]
  >([
    ['a spec without a plan', { spec: 'specs/shop.md' }, {}, 'specs/shop.md', undefined],
    ['the spec of the file', {}, { spec: 'specs/shop.md' }, 'specs/shop.md', undefined],
    [
      'the spec of the command',
      { spec: 'specs/list.md' },
      { spec: 'specs/shop.md' },
      'specs/list.md',
      'specs/list.md',
    ],
    [
      'the usual plan',
      { spec: 'specs/planned.md' },
      {},
      'specs/planned.md',
      'specs/planning/planned-plan.md',
    ],
    [
      'the plan of the file',
      { spec: 'specs/planned.md' },
      { plan: 'plans/own.md' },
      'specs/planned.md',
      'plans/own.md',
    ],
    [
      'the plan of the command',
      { spec: 'specs/list.md', plan: 'plans/own.md' },
      {},
      'specs/list.md',
      'plans/own.md',
    ],
    ['a plan without a spec', { plan: 'plans/own.md' }, {}, undefined, 'plans/own.md'],
    [
      'a plan that is to be drafted',
      { spec: 'specs/shop.md' },
      { plan: 'plans/new.md' },
      'specs/shop.md',
      undefined,
    ],
  ])('has %s', async (_what, input, settings, spec, plan) => {
    const found = await capture(input, settings)
    const expected = (path: string | undefined) =>
      path === undefined ? undefined : { path, text: files[path] }
    expect(found['spec']).toEqual(expected(spec))
    expect(found['plan']).toEqual(expected(plan))
  })

  test('stays as it is once it was captured, with what else is in it', async () => {
    const spec = { path: 'specs/gone.md', text: '- [ ] a' }
    const input = { spec, plan: spec, goal: 'x' }
    expect(await capture(input)).toEqual(input)
  })

  test.each<[{ readonly [name: string]: Json }, RegExp]>([
    [{}, /needs a spec or a plan, and it has neither.*loopctl run/],
    [{ spec: 'specs/typo.md' }, /The spec specs\/typo\.md does not exist/],
    [{ spec: 'specs/empty.md' }, /is empty/],
    [{ spec: 'specs/long.md' }, /is longer than 500000 characters/],
    [{ spec: 'specs/shop.md', plan: 'plans/typo.md' }, /The plan plans\/typo\.md does not exist/],
    [{ plan: 'plans/many.md' }, /has 1,001 tasks; the limit is 1000\. Name one with/],
    [{ spec: 'specs/many.md' }, /specs\/many\.md has 1,001 tasks/],
    [{ plan: 'plans/none.md' }, /has no task\. Write tasks as lines such as "- \[ \] Add a cart"/],
  ])('%j is refused', async (input, message) => {
    await expect(capture(input)).rejects.toThrow(message)
  })
})

test('a plan is drafted where it is named, or next to the others', () => {
  expect(draftPath('plans/x.md', undefined)).toBe('plans/x.md')
  expect(draftPath(undefined, { path: 'specs/a.b.md', text: '' })).toBe(
    'specs/planning/a.b-plan.md',
  )
  expect(draftPath(undefined, undefined)).toBe('specs/planning/build-plan.md')
})
