/**
 * From a spec to a certified, merged branch, with everything in between that can go wrong: the real daemon, loopctl, git,
 * SQLite and sandbox. Only the two agents are scripted.
 */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { afterFile } from '../after.ts'
import { startDaemon } from '../daemon/start-daemon.ts'
import { type Ended, warmLoopctl } from '../warm-loopctl.ts'
import { createShop, plan, type ShopRepository } from './build-story-repository.ts'
import { normalize, normalizeReport } from './stable-report.ts'

interface Setting {
  readonly shop: ShopRepository
  readonly state: string
  ctl(...args: string[]): Promise<Ended>
}

function createSetting(): Setting {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-build-'))
  afterFile(() => rmSync(folder, { recursive: true, force: true }))
  const shop = createShop(folder)
  const state = join(folder, 'state')
  const path = process.env['PATH'] ?? ''
  const env = { PATH: path, HOME: state, LOOPWRIGHT_STATE: state, USER: 'tester' }
  return { shop, state, ctl: (...args) => warmLoopctl(args, env, shop.checkout) }
}

interface Fact {
  readonly type: string
  readonly iteration?: number
  readonly step?: string
  readonly [key: string]: unknown
}

async function eventsOf({ ctl }: Setting): Promise<readonly Fact[]> {
  const { stdout } = await ctl('--json', 'tail', 'shop')
  const lines = stdout.split('\n').filter((line) => line !== '')
  return lines.flatMap((line) => (JSON.parse(line) as { readonly event?: Fact }).event ?? [])
}

/** Task 5 is half done. */
async function untilHalf({ ctl }: Setting): Promise<void> {
  const deadline = Date.now() + 120_000
  while (!(await ctl('output', 'shop')).stdout.includes('half done')) {
    if (Date.now() > deadline) throw new Error(`no task 5: ${(await ctl('tail', 'shop')).stdout}`)
    await setTimeout(300)
  }
}

const golden = (name: string): string =>
  new URL(`golden/build-story.${name}`, import.meta.url).pathname

test('a plan of six tasks is built, reviewed, verified, certified and merged', async () => {
  const setting = createSetting()
  const { shop, state, ctl } = setting
  const first = await startDaemon({ state })
  const before = shop.seen()
  const started = await ctl('run', 'specs/shop.md', '--trust', '--detach', '--name', 'shop')
  expect(started).toMatchObject({ code: 0, stderr: '' })
  await untilHalf(setting)
  await first.kill()
  // Meanwhile others write another line in the same place.
  shop.commitTo('agent/shop', { 'README.md': '# Shop\n\nSells coffee too.\n' })
  rmSync(join(shop.stage, 'hold'))
  const second = await startDaemon({ state })
  const ended = await ctl('watch', 'shop')
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toContain('completed: all(plan-complete, checks-pass)')
  await second.stop()

  const events = await eventsOf(setting)
  const finished = (step: string): readonly Fact[] =>
    events.filter((event) => event.type === 'step-finished' && event.step?.startsWith(step))
  const verdicts = finished('agent:reviewer').map(({ iteration, result }) => ({
    iteration,
    verdict: /"verdict\\?":\\?"(\w+)/.exec(JSON.stringify(result))?.[1],
  }))
  expect(verdicts.filter(({ verdict }) => verdict === 'fail')).toMatchObject([
    { iteration: 2 },
    { iteration: 6 },
  ])
  const unmet = finished('check:').filter(({ result }) =>
    JSON.stringify(result).includes('not-met'),
  )
  expect(unmet).toMatchObject([{ iteration: 4 }])
  expect(finished('watchdog')).toMatchObject([
    { iteration: 7, result: { value: { signal: 'no_progress', rewrite: 1 } } },
  ])
  expect(events.filter(({ type }) => type === 'step-failed')).toMatchObject([
    { iteration: 10, step: 'action:merge#1', fault: { code: 'needs-work' } },
  ])
  expect(shop.git('log', '--format=%s', 'main..agent/shop')).toBe('shop: shop\nof others\n')
  const merged = `git:${shop.git('rev-parse', 'agent/shop^{tree}').trim()}`
  expect((await ctl('inspect', 'shop')).stdout).toContain(`tree         ${merged}\n`)
  expect(shop.git('show', 'agent/shop:README.md')).toBe('# Shop\n\nSells tea.\nSells coffee too.\n')
  expect(shop.git('show', 'agent/shop:specs/planning/shop-plan.md')).toBe(
    plan.replaceAll('[ ]', '[R]'),
  )
  expect((await ctl('verify', 'shop')).code).toBe(0)
  expect((await ctl('actions', 'shop')).stdout).toMatch(/merge-when-certified/)
  expect(shop.seen()).toEqual(before)

  const { id } = JSON.parse((await ctl('--json', 'list')).stdout) as { readonly id: string }
  const read = (name: string): string =>
    readFileSync(join(state, 'runs', `run-${id}`, name), 'utf8')
  await expect(normalizeReport(read('report.tsv'), shop)).toMatchFileSnapshot(golden('report.tsv'))
  await expect(normalize(read('summary.json'), shop)).toMatchFileSnapshot(golden('summary.txt'))
}, 300_000)
