// A loop type that chooses where its work is merged, and needs no person for that.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { alwaysEscalate } from '../../src/authority/index.ts'
import { describePowers, parseLoopFile } from '../../src/definition/loop-file/index.ts'
import { loadLoop, previewLoop, trustLoop } from '../../src/launch/load-loop.ts'
import { openLoop } from '../../src/launch/open-loop.ts'
import { type StepId, zero } from '../../src/loop/index.ts'
import { type LoopTypeDefinition, loopTypes } from '../../src/loops/index.ts'
import { newFolder } from '../host-fixture.ts'
import { pairType } from './pair/pair-type.ts'

test('certified work is merged without a person into the branch that its type chooses', async () => {
  const merging: LoopTypeDefinition = {
    ...pairType,
    name: 'merging',
    mergesWhenCertified: true,
    mergeInto: (_file, { spec }) => `agent/${typeof spec === 'string' ? spec : 'none'}`,
  }
  const known = [...loopTypes, merging]
  const folder = newFolder()
  const path = join(folder, 'merging.yaml')
  const text =
    'loop: merging\nthen: [merge, clean-up]\ntask: Do it.\nchecks: { there: test -f out.txt }\n'
  writeFileSync(path, `${text}input: { spec: shop }\nagent: { script: [[{ say: made }]] }\n`)
  const { file } = await parseLoopFile(readFileSync(path, 'utf8'), path, { types: known })
  expect(file).toMatchObject({ mergesWhenCertified: true })
  expect(describePowers(file)).toContain(
    'certified work is merged into its branch below agent/ without a person',
  )
  const preview = await previewLoop(path, folder, { types: known })
  await trustLoop(preview, folder)
  const loaded = await loadLoop(path, { folder, types: known })
  const opened = await openLoop(loaded, {
    folder,
    workspace: folder,
    attended: true,
    types: known,
  })
  try {
    const { gate = alwaysEscalate, whenCertified = [] } = opened.parts
    expect(whenCertified[0]).toMatchObject({ kind: 'merge', details: { into: 'agent/shop' } })
    const facts = { level: 2, verified: true, files: [], spent: zero, outsideScope: [] } as const
    const at = { iteration: 1, step: 'gate:merge#1' as StepId }
    const verdicts = whenCertified.map((one) => gate.judge(one, at, facts))
    expect(await Promise.all(verdicts)).toMatchObject([{ type: 'allow' }, { type: 'ask' }])
  } finally {
    await opened.close()
  }
})
