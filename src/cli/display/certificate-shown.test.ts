import { expect, test } from 'vitest'
import type { Certificate } from '../../history/certificates/index.ts'
import { certificateDraft, certifiedCheck } from '../../testing/certificate-draft.ts'
import { readsText, showCertificate } from './certificate-shown.ts'
import { renderCertificate } from './certificate-view.ts'

const digest = 'a'.repeat(64)
const certificate: Certificate = {
  format: 'loopwright-certificate',
  version: 2,
  ...certificateDraft({
    strength: { level: 'work-alone', required: 'work-alone', statements: [] },
    controls: [{ name: 'base-plus-work', checks: [{ name: 'test', status: 'met' }], held: true }],
    checks: [
      certifiedCheck({ reads: { count: 2, digest } }),
      certifiedCheck({ name: 'types', reads: { count: 1, digest: 'b'.repeat(64) } }),
      certifiedCheck({ name: 'judge', kind: 'judge' }),
    ],
    model: 'anthropic/claude',
  }),
  issuedAt: '2026-01-02T03:04:05.000Z',
  installation: digest,
  number: 1,
  previous: null,
}
const lists = async (of: string): Promise<string | undefined> =>
  of === digest ? 'src/a.js\ntest/a.test.js\n' : undefined

test('show prints the strength in sentences, and what each check read', async () => {
  const shown = await showCertificate('c', certificate, lists)
  expect(shown.shows).toEqual([
    'Strength: work-alone (the checks pass through the work alone).',
    'On the base plus only the work, the checks pass.',
  ])
  expect(readsText(shown, false)).toEqual(['test read 2 files', 'types read 1 file'])
  expect(readsText(shown, true)).toEqual([
    'test read 2 files',
    '  src/a.js',
    '  test/a.test.js',
    'types read 1 file',
    '  (the list is no longer kept)',
    'judge: reads were not observed',
  ])
})

test('a version 2 certificate shows its strength, what was read, and the model', () => {
  const lines = renderCertificate({ id: 'c', certificate }).split('\n')
  expect(lines).toEqual(
    expect.arrayContaining([
      'strength     work-alone (the checks pass through the work alone)',
      '             On the base plus only the work, the checks pass.',
      'model        anthropic/claude',
      expect.stringContaining('read 2 files'),
    ]),
  )
})
