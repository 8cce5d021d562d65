import { describe, expect, test } from 'vitest'
import {
  acceptProposals,
  chooseTask,
  countTasks,
  findProposals,
  isComplete,
  renderPlan,
  type SealedPlan,
  sealDraft,
  sealPlan,
} from './sealed-plan.ts'

function plan(text: string): SealedPlan {
  const sealed = sealPlan('plan.md', text)
  if (sealed === undefined) throw new Error('no task')
  return sealed
}

describe('the next task', () => {
  test.each<[string, boolean, readonly number[], object]>([
    ['- [R] a\n- [ ] b\n- [ ] c', true, [], { kind: 'implement', task: 1 }],
    ['- [x] a\n- [ ] b', true, [], { kind: 'review', task: 0 }],
    ['- [x] a\n- [ ] b', false, [], { kind: 'implement', task: 1 }],
    ['- [~] a\n- [ ] b', true, [], { kind: 'implement', task: 1 }],
    ['- [~] a\n- [R] b\n- [~] c', true, [0], { kind: 'retry', task: 2 }],
    ['- [~] a\n- [R] b', true, [0], { kind: 'retry', task: 0 }],
    ['- [R] a\n- [R] b', true, [], { kind: 'certify' }],
    ['- [x] a\n- [R] b', false, [], { kind: 'certify' }],
  ])('of %j with review %j and second attempts %j', (text, isReviewed, retried, expected) => {
    expect(chooseTask(plan(text), isReviewed, retried)).toEqual(expected)
  })

  test('is a draft if there is no plan', () => {
    expect(chooseTask(undefined, true, [])).toEqual({ kind: 'draft' })
  })
})

test.each<[string, boolean, number, boolean]>([
  ['- [R] a\n- [x] b', true, 1, false],
  ['- [R] a\n- [x] b', false, 2, true],
  ['- [R] a\n- [~] b', true, 1, false],
  ['- [R] a\n- [ ]? b', true, 1, true],
  ['- [ ] a', true, 0, false],
])('%j with review %j has %i done, complete: %j', (text, isReviewed, done, complete) => {
  expect(countTasks(plan(text), isReviewed).done).toBe(done)
  expect(isComplete(plan(text), isReviewed)).toBe(complete)
})

describe('what an agent makes of the plan', () => {
  const sealed = plan('# Plan\n- [R] a\n- [ ] b\n- [ ] c\n')
  test.each<[string, string | undefined, readonly object[]]>([
    ['the same', '# Plan\n- [R] a\n- [ ] b\n- [ ] c\n', []],
    ['other marks', '- [R] a\n- [R] b\n- [x] c\n', []],
    ['another task', '- [R] a\n- [ ] b\n- [ ] c\n- [ ] d\n', [{ change: 'added', text: 'd' }]],
    ['fewer tasks', '- [R] a\n- [ ] c\n', [{ change: 'dropped', text: 'b' }]],
    [
      'another wording',
      '- [R] a\n- [ ] b2\n- [ ] c\n',
      [{ change: 'reworded', text: 'b2', before: 'b' }],
    ],
    ['another order', '- [ ] c\n- [R] a\n- [ ] b\n', []],
    ['an empty file', '', ['a', 'b', 'c'].map((text) => ({ change: 'dropped', text }))],
    ['no file', undefined, ['a', 'b', 'c'].map((text) => ({ change: 'dropped', text }))],
    [
      'a task in a comment',
      '- [R] a\n<!-- - [ ] b -->\n- [ ] c\n',
      [{ change: 'dropped', text: 'b' }],
    ],
  ])('is a proposal: %s', (_what, text, expected) => {
    expect(findProposals(sealed, text)).toEqual(expected)
  })

  test('changes the plan once a person accepts it', () => {
    const proposals = findProposals(sealed, '- [R] a\n- [ ] b2\n- [ ] d\n')
    expect(proposals.map(({ change }) => change)).toEqual(['reworded', 'reworded'])
    expect(renderPlan(acceptProposals(sealed, proposals))).toBe(
      '# Plan\n- [R] a\n- [ ] b2\n- [ ] d\n',
    )
    const others = [
      { change: 'dropped', text: 'b' },
      { change: 'added', text: 'e' },
    ] as const
    const agreed = acceptProposals(sealed, others)
    expect(renderPlan(agreed)).toBe(
      '# Plan\n- [R] a\n- Dropped: b\n- [ ] c\n\n\n## Added\n\n- [ ] e\n',
    )
    expect(agreed.tasks.map(({ text }) => text)).toEqual(['a', 'c', 'e'])
  })
})

test('nothing of a drafted plan is done, whatever its marks say', () => {
  const drafted = sealDraft('plan.md', '- [R] a\n- [x] b\n- [~] c\n- [ ] d\n')
  expect(isComplete(drafted, true)).toBe(false)
  expect(drafted && renderPlan(drafted)).toBe('- [ ] a\n- [ ] b\n- [ ] c\n- [ ] d\n')
})

test.each(['```\ncode', '# Verification\n- [ ] by hand', '<!-- note'])(
  'accepted tasks are part of a plan that ends with %j',
  (end) => {
    const agreed = acceptProposals(plan(`- [R] a\n${end}\n`), [{ change: 'added', text: 'b' }])
    expect(Object.fromEntries(agreed.tasks.map(({ text, mark }) => [text, mark]))).toEqual({
      a: 'reviewed',
      b: 'open',
    })
  },
)

test('a task with new words has to be done again', () => {
  const proposals = [{ change: 'reworded', text: 'a, with tax', before: 'a' }] as const
  const agreed = acceptProposals(plan('- [R] a\n- [R] b\n'), proposals)
  expect(renderPlan(agreed)).toBe('- [ ] a, with tax\n- [R] b\n')
})
