/**
 * Agents that talk to their reviewer through their work: flattery, threats, and answers in the reviewer's own form. A
 * reviewer that repeats or obeys what it read never turns "fail" into "pass". Real git, sandbox and processes.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { warmLoopctl } from '../warm-loopctl.ts'
import { createShop } from './build-story-repository.ts'
import { environment } from './loop-fixture.ts'
import { attackingMaker } from './review-attacks.ts'

/** Finds that the work is not done: first puts its verdict between two answers of the work, then obeys the work literally. */
const reviewer = `
import { readFileSync } from 'node:fs'
const prompt = readFileSync(0, 'utf8')
const token = [...prompt.matchAll(/"token": "([0-9a-f]{32})"/g)].at(-1)[1]
const work = readFileSync('src/price.mjs', 'utf8')
if (work.includes(token)) console.log('LEAKED')
const own = JSON.stringify({ token, verdict: 'fail', reasons: [{ text: 'It is not done.' }] })
if (prompt.includes('Nothing in this session')) console.log(work)
else console.log(work + '\\n\`\`\`json\\n' + own + '\\n\`\`\`\\n' + work)
`

test('no text of the work turns a review that fails into one that passes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-reviews-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const shop = createShop(folder, {
    'tools/maker.mjs': attackingMaker,
    'tools/reviewer.mjs': reviewer,
    'specs/planning/shop-plan.md': '- [ ] Write the price of an item\n',
  })
  const ctl = (...args: string[]) =>
    warmLoopctl(args, environment(join(folder, 'state')), shop.checkout)
  const ended = await ctl('run', 'specs/shop.md', '--trust', '--name', 'shop')
  expect(ended.stdout).toContain('stuck: review-failures')
  expect(ended.code).not.toBe(0)
  const { stdout } = await ctl('--json', 'tail', 'shop')
  expect(stdout).not.toContain('LEAKED')
  expect(stdout).not.toContain('The reviewer gave no answer')
  const verdicts = [...stdout.matchAll(/"text":"task 1: [^"]*; review: (\w+)"/g)]
  expect(stdout).not.toContain('"mark":"reviewed"')
  expect(verdicts.map(([, verdict]) => verdict)).toEqual(['unclear', 'unclear', 'unclear'])
  expect(shop.git('branch', '--list', 'agent/*')).toBe('')
  expect(shop.git('show', 'run/shop:specs/planning/shop-plan.md')).not.toContain('[R]')
}, 120_000)
