// The rules for what a composer proposes, each as a sentence.

import { expect, test } from 'vitest'
import { findBrokenRules, type ProposalRules } from './check-proposal.ts'
import { type ProposedOption, readProposal } from './proposal.ts'

const prompt = `You read invoices and write their total.
Extract the total of the invoice.
Write only the number.
`

const rules: ProposalRules = {
  incumbent: { artifacts: { 'prompt.md': prompt, 'rules.txt': 'total: [:=]\n' } },
  suite: ['cases/a.txt', 'cases/b.txt', 'cases/c.txt'],
  failing: ['cases/a.txt', 'cases/b.txt'],
  tried: [
    [
      {
        file: 'prompt.md',
        section: '',
        current: 'Write only',
        proposed: 'First add up all lines. Write only',
      },
    ],
  ],
  docs: ['Credit notes are invoices with a negative total and count too.'],
  variables: 'many',
  cases: [
    {
      id: 'cases/a.txt',
      texts: [
        'Acme Tools Limited\nDate 2026-01-02\nDue within thirty days of receipt please\nTotal: 12.50',
        '12.50\n',
      ],
    },
    {
      id: 'cases/b.txt',
      texts: ['Blue Bicycle Company\nDate 2026-01-03\nTotal: 99.00', '99.00\n'],
    },
    { id: 'cases/c.txt', texts: ['Cold Cellar Wines\nDate 2026-01-04\nTotal: 7.00', '7.00\n'] },
  ],
}

const option = (more: Partial<ProposedOption> = {}, proposed?: string): ProposedOption => ({
  name: 'Anchor',
  summary: 'Take the amount after the last "Total".',
  mechanism:
    'An anchoring rule: it ties the number to a place, so subtotals before it do not match.',
  edits: [
    {
      file: 'prompt.md',
      section: 'task',
      current: 'Extract the total of the invoice.',
      proposed:
        proposed ?? 'Find the last line that begins with "Total". The total is the number in it.',
    },
  ],
  predicts: ['cases/a.txt'],
  recommended: false,
  ...more,
})

const others = [
  option({}, 'Ignore every line with the word "Subtotal". Extract the total of the invoice.'),
  option({}, 'List all amounts first. The total is the largest of them.'),
]

const broken = (first: ProposedOption): readonly string[] =>
  findBrokenRules({ rootCause: 'x', options: [{ ...first, recommended: true }, ...others] }, rules)

const replacing = (current: string, proposed: string, file = 'prompt.md') =>
  option({ edits: [{ file, section: '', current, proposed }] })

test('three structural options, one of them recommended, follow the rules', () => {
  expect(broken(option())).toEqual([])
})

test.each([
  [0, 'it has 0 options'],
  [1, 'it has 1 options'],
  [4, 'it has 4 options'],
])('%i options are not three', (count, reason) => {
  const options = Array.from({ length: count }, () => option())
  expect(findBrokenRules({ rootCause: 'x', options }, rules).join()).toContain(reason)
})

test.each([0, 2])('%i recommended options are rejected', (count) => {
  const options = [option(), ...others].map((one, at) => ({ ...one, recommended: at < count }))
  expect(findBrokenRules({ rootCause: 'x', options }, rules).join()).toContain(
    'exactly one has to be',
  )
})

test.each<[string, ProposedOption, string]>([
  ['without a mechanism', option({ mechanism: ' ' }), 'it has no mechanism'],
  ['with a mechanism of a word', option({ mechanism: 'anchoring' }), 'it has no mechanism'],
  [
    'whose mechanism repeats the summary',
    option({ mechanism: 'Take the amount after the last "Total"!' }),
    'only repeats its summary',
  ],
  ['that predicts nothing', option({ predicts: [] }), 'it predicts no case'],
  [
    'that predicts a case that is not in the suite',
    option({ predicts: ['cases/sealed.txt'] }),
    'not one of the cases',
  ],
  ['that predicts only what passes', option({ predicts: ['cases/c.txt'] }), 'pass already'],
  [
    'of a text that is not in the file',
    replacing('Extract the sum.', 'x'),
    'not in prompt.md exactly once',
  ],
  ['of a text that is there twice', replacing('total', 'sum'), 'not in prompt.md exactly once'],
  ['of a file that is no artifact', replacing('a', 'b', '../cases/a.txt'), 'is not an artifact'],
  ['of an inherited property', replacing('a', 'b', '__proto__'), 'is not an artifact'],
  [
    'that makes a file too large',
    replacing('Write only', 'x'.repeat(200_001)),
    'more than 200000 characters',
  ],
  [
    'that was tried',
    replacing('Write only the number.', 'First add up all lines. Write only the number.'),
    'was tried before',
  ],
  ['that changes nothing', replacing('Write only', 'Write only'), 'only changes whitespace'],
  [
    'that changes whitespace',
    replacing('Write only the number.', 'Write  only\n\nthe number.  '),
    'only changes whitespace',
  ],
  [
    'that changes punctuation',
    replacing('Extract the total of the invoice.', 'Extract: the total, of the invoice!'),
    'only changes whitespace',
  ],
  [
    'that changes words to others that mean the same',
    replacing(
      'Extract the total of the invoice.',
      'Please carefully retrieve the total of the invoice.',
    ),
    'only changes whitespace',
  ],
  [
    'that pastes a line of a case',
    replacing(
      'Write only',
      'If it says Acme Tools Limited, write 12. Write only'.replace(
        ', write',
        '\nAcme Tools Limited\nwrite',
      ),
    ),
    'contains the words of cases/a.txt',
  ],
  [
    'that pastes words of a case',
    replacing('Write only', 'It may say due within thirty days of receipt. Write only'),
    'contains the words of cases/a.txt',
  ],
])('an option %s is rejected', (_what, first, reason) => {
  expect(broken(first).join('\n')).toContain(reason)
})

test.each<[string, ProposedOption]>([
  [
    'punctuation of rules is their mechanism',
    replacing('total: [:=]', 'total: [:=#]', 'rules.txt'),
  ],
  [
    'words of a document belong to no case',
    replacing('Write only', 'Credit notes are invoices with a negative total. Write only'),
  ],
  [
    'what most cases have in common is not a case',
    replacing('Write only', 'Total: is the last line. Write only'),
  ],
])('%s', (_what, first) => {
  expect(broken(first)).toEqual([])
})

test('the same option twice is rejected', () => {
  const [second = option()] = others
  const options = [{ ...option(), recommended: true }, second, second]
  expect(findBrokenRules({ rootCause: 'x', options }, rules)).toEqual([
    'options 2 and 3 are the same',
  ])
})

const answered = JSON.stringify({ rootCause: 'no anchor', options: [option()] })

test.each([
  ['alone', answered],
  ['in a fence', `Here it is.\n\n\`\`\`json\n${answered}\n\`\`\`\n`],
  ['after prose', `I think so. ${answered} That is all.`],
])('an answer is read %s', (_where, text) => {
  expect(readProposal(text)).toMatchObject({
    type: 'proposal',
    proposal: { rootCause: 'no anchor' },
  })
})

test.each<[string, string, string]>([
  ['prose', 'I would change the prompt.', 'not one JSON object'],
  ['nothing', '', 'not one JSON object'],
  ['ten megabytes', `{"rootCause": "${'x'.repeat(10_000_000)}"}`, 'is the limit'],
  ['no root cause', '{"options": []}', 'rootCause'],
  [
    'an edit without its current text',
    JSON.stringify({
      rootCause: 'x',
      options: [{ ...option(), edits: [{ file: 'a', proposed: 'b' }] }],
    }),
    'options.0.edits.0.current',
  ],
  [
    'no edit',
    JSON.stringify({ rootCause: 'x', options: [{ ...option(), edits: [] }] }),
    'options.0.edits',
  ],
  ['a text for the options', '{"rootCause": "x", "options": "all"}', 'options'],
])('%s is no proposal', (_what, text, reason) => {
  const read = readProposal(text)
  expect(read).toMatchObject({ type: 'unreadable', reason: expect.stringContaining(reason) })
})

test('precision changes one place in each option', () => {
  const edits = [
    { file: 'prompt.md', section: '', current: 'Extract the total', proposed: 'Find the last sum' },
    { file: 'rules.txt', section: '', current: 'total: [:=]', proposed: 'total: [:]' },
  ]
  const several = { rootCause: 'x', options: [option({ edits }), option(), option()] }
  const problem = expect.stringContaining('option 1: it changes 2 places')
  expect(findBrokenRules(several, { ...rules, variables: 'one' })).toContainEqual(problem)
  expect(findBrokenRules(several, rules)).not.toContainEqual(problem)
})
