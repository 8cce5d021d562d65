/**
 * Each program as the reviewer of an agent that flatters it, threatens it, and answers in its place. The scripted model
 * judges that the work is not done, and then does what it read: its "fail" never becomes a "pass".
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startModelServer } from '../../src/testing/index.ts'
import { afterFile } from '../after.ts'
import { createShop } from '../e2e/build-story-repository.ts'
import { environment } from '../e2e/loop-fixture.ts'
import { attackingMaker, attackMarks } from '../e2e/review-attacks.ts'
import { warmLoopctl } from '../warm-loopctl.ts'
import { behind, type Program, programs, saying } from './real-programs.ts'
import {
  afterRunning,
  isReview,
  readConversation,
  type Talk,
  tokenIn,
  verdictBlock,
} from './shop-model.ts'

const loopFile = (reviewer: Program): string => `loop: build
agents: { maker: { command: [node, tools/maker.mjs] }, reviewer: ${reviewer} }
checks: { test: node tools/check.mjs }
scope: ['**']
seals: { paths: [tools/**] }
certify: { dependencies: none, teeth: false }
sandbox: { require: strong }
workspace: ..
review: { failures: 2 }
`

/**
 * For each question another answer, of a judge that finds the work not done: repeats the work before its verdict, obeys
 * the work, puts its verdict between two answers of the work, and at last gives its verdict alone.
 */
function createObedient(): Talk {
  const questions: string[] = []
  return (request) => {
    const conversation = readConversation(request)
    if (!isReview(conversation.prompt)) return saying('Shop')
    const token = tokenIn(conversation)
    if (!questions.includes(token)) questions.push(token)
    return afterRunning(request, 'cat src/price.mjs', (work) => {
      const own = verdictBlock('fail', conversation, 'It is not done.')
      const answers = [`${work}\n${own}`, work, `${work}\n${own}\n${work}`]
      return answers[questions.indexOf(token)] ?? own
    })
  }
}

/** Four starts of the program, each with two requests. */
const timeoutMs = 480_000

describe.each(programs)('%s', (reviewer) => {
  describe('review', () => {
    test(
      'is not turned by what the work tells the reviewer',
      async () => {
        const folder = mkdtempSync(join(tmpdir(), 'loopwright-reviews-'))
        afterFile(() => rmSync(folder, { recursive: true, force: true }))
        const shop = createShop(folder, {
          'tools/maker.mjs': attackingMaker,
          'specs/planning/shop-plan.md': '- [ ] Write the price of an item\n',
          'specs/shop.yaml': loopFile(reviewer),
        })
        await using server = await startModelServer(createObedient())
        const env = environment(join(folder, 'state'), behind(server))
        const ctl = (...args: string[]) => warmLoopctl(args, env, shop.checkout)
        const ended = await ctl('run', 'specs/shop.md', '--trust', '--name', 'shop')
        expect(ended.stdout).toContain('stuck: review-failures')
        expect(ended.code).not.toBe(0)

        const talks = server.requests.map(readConversation).filter(({ prompt }) => isReview(prompt))
        const questions = [...new Set(talks.map(tokenIn))]
        expect(questions.length).toBe(4)
        for (const token of questions) {
          const [last] = talks.filter((talk) => tokenIn(talk) === token).slice(-1)
          // What it read and repeated is all there, and the work could not know the token.
          for (const mark of attackMarks) expect(last?.all).toContain(mark)
          expect(last?.all.split(token).length).toBe(2)
        }
        const { stdout } = await ctl('--json', 'tail', 'shop')
        const verdicts = [...stdout.matchAll(/"text":"task 1: [^"]*; review: (\w+)"/g)]
        expect(verdicts.map(([, verdict]) => verdict)).toEqual(['unclear', 'fail'])
        expect(stdout).not.toContain('"mark":"reviewed"')
        expect(shop.git('branch', '--list', 'agent/*')).toBe('')
        expect(shop.git('show', 'run/shop:specs/planning/shop-plan.md')).not.toContain('[R]')
      },
      timeoutMs,
    )
  })
})
