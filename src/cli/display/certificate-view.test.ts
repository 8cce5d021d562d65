import { expect, test } from 'vitest'
import type { Certificate } from '../../history/certificates/index.ts'
import { renderCertificate } from './certificate-view.ts'

test('a certificate shows who was consulted, what was planted, and what it cost', () => {
  const certificate = {
    what: { type: 'tree', name: 'demo' },
    rests: { checks: ['test'] },
    checks: [],
    sealed: { changes: [] },
    approvals: [{ codes: ['toothless'], by: 'ada', at: 'then' }],
    consultations: [
      { name: 'security', status: 'approved', agent: 'claude', at: 'then', summary: 'fine' },
    ],
    teeth: { planted: 3, noticed: 2 },
    budget: { spent: { tokens: 5, costMicros: 20_000 }, activeMs: 1500 },
    policy: { decision: 'none', set: 'none' },
    issuedAt: 'then',
    number: 1,
  } as unknown as Certificate
  const lines = renderCertificate({ id: 'c', certificate })
  expect(lines.split('\n')).toEqual(
    expect.arrayContaining([
      'set aside    toothless by ada, then',
      'consulted    approved  security: claude (fine)',
      'planted      2 of 3 defects noticed',
      'spent        1.5 s, 5 tokens, $0.02',
    ]),
  )
})
