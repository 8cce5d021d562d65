import { expect, test } from 'vitest'
import { answerPermission, isAllowed, permissionRules } from './permissions.ts'

const kinds = {
  reads: ['read', 'search', 'think'],
  edits: ['edit', 'delete', 'move'],
  all: ['execute', 'fetch', 'switch_mode', 'other', 'made-up', '', undefined, 'constructor'],
}

const allowedBy = (kind: string | undefined): readonly string[] =>
  permissionRules.filter((rule) => isAllowed(rule, kind))

test('a kind of tool is allowed by its rule and by stronger ones', () => {
  for (const kind of kinds.reads) expect(allowedBy(kind)).toEqual(['all', 'edits', 'reads'])
  for (const kind of kinds.edits) expect(allowedBy(kind)).toEqual(['all', 'edits'])
  for (const kind of kinds.all) expect(allowedBy(kind)).toEqual(['all'])
})

const option = (kind: string): never => ({ optionId: `id-${kind}`, name: kind, kind }) as never
const all = ['reject_always', 'allow_always', 'reject_once', 'allow_once'].map(option)
const selected = (kind: string): object => ({ outcome: 'selected', optionId: `id-${kind}` })

test('once is chosen over always', () => {
  expect(answerPermission('all', 'edit', all)).toEqual({
    outcome: selected('allow_once'),
    isAllowed: true,
  })
  expect(answerPermission('reads', 'edit', all)).toEqual({
    outcome: selected('reject_once'),
    isAllowed: false,
  })
})

test('always is chosen if there is nothing else', () => {
  const always = [option('allow_always'), option('reject_always')]
  expect(answerPermission('all', 'edit', always).outcome).toEqual(selected('allow_always'))
  expect(answerPermission('none', 'read', always).outcome).toEqual(selected('reject_always'))
})

test('if the answer is not among the options, nothing is allowed', () => {
  for (const options of [[], [option('reject_once')], [option('made_up')]]) {
    expect(answerPermission('all', 'edit', options)).toEqual({
      outcome: { outcome: 'cancelled' },
      isAllowed: false,
    })
  }
})
