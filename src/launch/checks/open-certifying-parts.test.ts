import { expect, test } from 'vitest'
import { parseLoopFile } from '../../definition/loop-file/index.ts'
import { certifyingParts } from './open-certifying-parts.ts'
import type { ResolvedChecks } from './resolved-check.ts'

test('files that a check, a judge or a consultant is started from are sealed', async () => {
  const { file } = await parseLoopFile(
    `
prompt: x
agent: { model: openai/gpt-5 }
checks:
  test: node scripts/check.mjs
  good: { judge: { command: [node, scripts/judge.mjs] }, prompt: Good? }
certify:
  consult:
    - { name: security, agent: { command: [node, scripts/review.mjs] }, prompt: Safe? }
`,
    'x.yaml',
  )
  const { sealedFiles } = certifyingParts(file, {
    checks: file.checks as ResolvedChecks,
    place: { base: '/', workspace: '/', folder: '/' },
    tools: { call: async () => ({ ok: true, output: null }) },
    models: undefined,
    environment: {},
  } as never)
  expect(sealedFiles).toEqual([
    '/bin/sh',
    'scripts/check.mjs',
    'scripts/judge.mjs',
    'scripts/review.mjs',
  ])
})
