/**
 * S5. 100 payloads in everything that others write: what agents say, what programs print, file names, contents, commits, branches,
 * the plan, input, descriptions, questions, names, comments. They are text on every page, and nothing of them becomes an element.
 */

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ask, goTo } from '../../build/proof/dashboard/browser.js'
import { write } from '../../build/proof/dashboard/scene.js'
import { type Watched, watchScene } from './open-scene.ts'
import { payloads } from './payloads.ts'

/** Real runs, each with its worktree and certification. */
const hookMs = 400_000

let watched: Watched

/** Not in a name of a file or a branch. */
const inFileName = (payload: string): string =>
  `${payload.replaceAll(/[/\0\n\t\p{Cc}]/gu, '_').slice(0, 180)}.txt`
const branch = 'x"><img/src=x/onerror=window.attacked=1>'

/** In ASCII: a loop file refuses invisible characters that are written as they are. */
const json = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Prints all, writes a file for each, says all; asks because a file changed that it may not change. */
const hostile = (): string => `description: ${json(payloads.slice(0, 8).join(' '))}
input: { goal: ${json(payloads.join('\n'))} }
prompt: "{{ input.goal }}"
agent:
  script:
    - - { call: run, args: { command: "cat payloads.txt; node write.mjs" } }
      - { say: ${json(payloads.join('\n'))} }
checks: { ${json('shows <img src=x onerror=window.attacked=1>'.replaceAll(/[^a-z]/g, '-'))}: cat payloads.txt }
seals: { paths: [spec.txt], changes: ask }
certify: { dependencies: none, teeth: false }
worktree: { base: ${json(branch)} }
`

beforeAll(async () => {
  watched = await watchScene()
  const { project, start, untilAsked } = watched.scene()
  write(project, {
    'payloads.txt': `${payloads.join('\n')}\n`,
    'write.mjs': `import { readFileSync, writeFileSync } from 'node:fs'
for (const name of ${json(payloads.map(inFileName))}) writeFileSync(name, readFileSync('payloads.txt'))
writeFileSync('spec.txt', readFileSync('payloads.txt'))
`,
    'loops/hostile.yaml': hostile(),
    'loops/broken.yaml': `promt: ${json(payloads[0])}\n? ${json(payloads[40])}\n: x\n`,
  })
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', `user.name=${payloads[0]}`, '-c', 'user.email=a@b', ...args], {
      cwd: project,
      stdio: 'pipe',
    })
  git('checkout', '-q', '-b', branch)
  git('add', '-A')
  writeFileSync(join(project, '..', 'message'), payloads.join('\n'))
  git('commit', '-q', '-F', join('..', 'message'))
  await start('hostile', 'hostile')
  await untilAsked('hostile')
  const { daemon, file } = watched.scene()
  const by = `<img src=x onerror=window.attacked=1>`
  await ask(daemon, 'POST', '/schedules', {
    file: file('hostile'),
    workspace: project,
    name: 'hostile',
    trigger: { type: 'branch', repository: project, branch },
    by,
  })
  await ask(daemon, 'POST', '/schedules/pause', { by, reason: payloads.join('\n').slice(0, 900) })
  await ask(daemon, 'POST', '/runs/hostile/tell', { text: payloads.join('\n').slice(0, 9000), by })
}, hookMs)

/** What no text may become. Icons are svg, so those are looked at by their attributes. */
const strange = `[...document.querySelectorAll('img,image,iframe,object,embed,video,audio,math,base,marquee,portal,script:not([src]),form[action],[formaction],meta[http-equiv],body template')]
  .map((one) => one.outerHTML)
  .concat([...document.querySelectorAll('*')].flatMap((one) => [...one.attributes]
    .filter(({ name, value }) => name.startsWith('on') || (['href', 'src', 'action'].includes(name) && !/^(?:#|\\/(?!\\/)|https?:\\/\\/127\\.0\\.0\\.1)/.test(value)))
    .map(({ name, value }) => one.tagName + ' ' + name + '=' + value)))`

async function expectNothing(page: Page, where: string): Promise<void> {
  // Everything that opens is opened, as a person would.
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`)
  await page.mouse.move(400, 400)
  await page.mouse.wheel(0, 2000)
  await page.waitForTimeout(200)
  const found = {
    where,
    strange: await page.evaluate<readonly string[]>(strange),
    isAttacked: await page.evaluate<boolean>(`'attacked' in window`),
  }
  expect(found).toEqual({ where, strange: [], isAttacked: false })
}

test('on every page, and in every part of the run, the payloads are text', async () => {
  const { page } = await watched.tab({ viewport: { width: 1280, height: 860 } })
  let dialogs = 0
  page.on('dialog', (dialog) => {
    dialogs++
    void dialog.dismiss()
  })
  const shows = (path: string, text: string): Promise<void> =>
    goTo(page, path).then(() =>
      page.getByRole('main').getByText(text).first().waitFor({ state: 'attached' }),
    )
  const first = payloads[0] ?? ''
  await shows('/', first)
  await expectNothing(page, 'needs you')
  await shows('/runs', 'hostile')
  await expectNothing(page, 'runs')
  await shows('/loops', first)
  await page.getByRole('button', { name: 'hostile', exact: true }).click()
  await expectNothing(page, 'loops')
  const { project, file } = watched.scene()
  await shows(`/start?file=${encodeURIComponent(file('hostile'))}`, 'What it would do')
  await expectNothing(page, 'start')
  await shows(
    `/start?folder=${encodeURIComponent(project)}&file=${encodeURIComponent(file('broken'))}`,
    'cannot be used',
  )
  await expectNothing(page, 'a broken file')
  await goTo(page, '/runs/hostile')
  const parts = page.getByRole('navigation', { name: 'Parts of the run' }).getByRole('link')
  await parts.first().waitFor()
  const count = await parts.count()
  expect(count).toBeGreaterThanOrEqual(9)
  for (let at = 0; at < count; at++) {
    await parts.nth(at).click()
    await page.getByText('Loading…').waitFor({ state: 'detached' })
    await expectNothing(page, `part ${at}`)
  }
  await goTo(page, '/runs/hostile/log')
  await page.getByText(first, { exact: true }).first().waitFor({ state: 'attached' })
  // The log has only the lines that are in view.
  const shown = await page.getByRole('log').innerText()
  expect(payloads.filter((payload) => shown.includes(payload)).length).toBeGreaterThan(10)
  expect(dialogs).toBe(0)
  expect(new Set(payloads).size).toBe(100)
})

test('the report of the run is a file in which the payloads are text, also without its policy', async () => {
  const { page } = await watched.tab({ bypassCSP: true })
  const html = await page.evaluate<string>(`(async () => {
    const { token } = JSON.parse(sessionStorage.getItem('loopwright-session'))
    const answer = await fetch('/runs/hostile/report', { headers: { authorization: 'Bearer ' + token } })
    return answer.text()
  })()`)
  const file = join(watched.scene().project, '..', 'report.html')
  writeFileSync(file, html)
  await page.goto(`file://${file}`)
  await page.getByRole('heading', { name: 'hostile' }).waitFor()
  // Its own policy. Any other would be of a payload.
  await page.evaluate(`document.querySelector('head meta[http-equiv]').remove()`)
  await expectNothing(page, 'the report')
  const shown = await page.getByRole('main').innerText()
  expect(payloads.filter((payload) => shown.includes(payload)).length).toBeGreaterThan(10)
})

test('an address with a payload in it opens nothing but a message', async () => {
  const { page } = await watched.tab()
  for (const payload of payloads) {
    await goTo(
      page,
      `/runs/${encodeURIComponent(payload).slice(0, 300)}?name=${encodeURIComponent(payload)}`,
    )
    await goTo(
      page,
      `/runs?name=${encodeURIComponent(payload)}&loop=${encodeURIComponent(payload)}`,
    )
  }
  await page.getByText('No run fits this filter.').waitFor()
  await goTo(page, '/%E0%A4%A')
  await expectNothing(page, 'addresses')
  expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(1)
})
