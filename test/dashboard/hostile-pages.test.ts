/**
 * S6. What a page of someone else can do in the browser that has the dashboard open: requests of every kind, frames, windows, names that
 * point to this machine. Nothing of the daemon changes, and nothing is read.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { ask, newLink } from '../../build/proof/dashboard/browser.js'
import { afterFile, afterStory } from '../after.ts'
import { type Watched, watchScene } from './open-scene.ts'

/** Real runs, each with its worktree and certification. */
const hookMs = 400_000

let watched: Watched
let evilPort: number

beforeAll(async () => {
  watched = await watchScene(['--host-resolver-rules=MAP *.test 127.0.0.1'])
  const server = createServer((_request, response) => {
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>evil</title>')
  }).listen(0, '127.0.0.1')
  afterFile(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  evilPort = (server.address() as AddressInfo).port
  await watched.scene().start('tidy-imports', 'victim')
  await watched.scene().until('victim', 'stuck')
}, hookMs)

/** All that a page can try without a token. Returns what was answered to it. */
const attack = `async (origin, code) => {
  const heard = []
  const json = { 'content-type': 'application/json' }
  const post = (path, body, init = {}) =>
    fetch(origin + path, { method: 'POST', body: JSON.stringify(body), headers: json, ...init })
      .then(async (answer) => answer.type === 'opaque' ? undefined : heard.push(path + ' ' + (await answer.text()).slice(0, 80)), () => undefined)
  const paths = ['/runs', '/runs/victim/cancel', '/schedules/pause', '/schedules/resume', '/daemon/stop', '/daemon/links', '/loops/find', '/loops/preflight', '/levels']
  for (const path of paths) {
    await post(path, {})
    await post(path, {}, { mode: 'no-cors', headers: {} })
    await post(path, {}, { mode: 'no-cors', headers: {}, credentials: 'include' })
  }
  await post('/ui/session', { code })
  await post('/ui/session', { code }, { mode: 'no-cors', headers: {} })
  for (const path of ['/', '/ui/', '/ui/runs', '/runs', '/summaries', '/openapi.json', '/health']) {
    await fetch(origin + path).then(async (answer) => heard.push(path + ' ' + answer.status), () => undefined)
    await new Promise((resolve) => {
      const image = new Image()
      image.onload = () => { heard.push('image ' + path); resolve() }
      image.onerror = resolve
      image.src = origin + path
    })
  }
  await new Promise((resolve) => {
    const source = new EventSource(origin + '/summaries')
    source.onmessage = () => heard.push('events')
    source.onerror = () => { source.close(); resolve() }
  })
  await new Promise((resolve) => {
    const socket = new WebSocket(origin.replace('http', 'ws') + '/summaries')
    socket.onopen = () => heard.push('socket')
    socket.onclose = resolve
  })
  await new Promise((resolve) => {
    const script = document.createElement('script')
    script.src = origin + '/summaries'
    script.onload = () => { heard.push('script'); resolve() }
    script.onerror = resolve
    document.head.append(script)
  })
  const frame = document.createElement('iframe')
  frame.name = 'target'
  frame.src = origin + '/ui/#code=' + code
  document.body.append(frame)
  await new Promise((resolve) => { frame.onload = resolve; setTimeout(resolve, 3000) })
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const form = document.createElement('form')
    Object.assign(form, { action: origin + '/ui/session', method: 'post', enctype, target: 'target' })
    const input = document.createElement('input')
    Object.assign(input, { name: '{"code":"' + code + '","x":"', value: '"}' })
    form.append(input)
    document.body.append(form)
    form.submit()
    await new Promise((resolve) => setTimeout(resolve, 400))
  }
  return heard
}`

interface Seen {
  readonly runs: unknown
  readonly schedules: unknown
  readonly levels: unknown
}

async function everything(): Promise<Seen> {
  const { daemon } = watched.scene()
  return {
    runs: await ask(daemon, 'GET', '/summaries'),
    schedules: await ask(daemon, 'GET', '/schedules'),
    levels: await ask(daemon, 'GET', '/levels/changes'),
  }
}

async function openEvil(address: string): Promise<Page> {
  const context = await watched.browser.newContext()
  afterStory(() => context.close())
  const page = await context.newPage()
  await page.goto(address)
  return page
}

test.each([
  ['another port of this machine', () => `http://127.0.0.1:${evilPort}/`],
  ['localhost', () => `http://localhost:${evilPort}/`],
  ['another origin', () => `http://evil.test:${evilPort}/`],
])('a page on %s reads nothing, changes nothing, and uses no code up', async (_name, from) => {
  const { daemon } = watched.scene()
  const before = await everything()
  const link = await newLink(daemon)
  const code = new URL(link).hash.slice('#code='.length)
  const page = await openEvil(from())
  const heard = await page.evaluate<readonly string[]>(
    `(${attack})(${JSON.stringify(daemon.address)}, ${JSON.stringify(code)})`,
  )
  expect(heard).toEqual([])
  for (const frame of page.frames().slice(1)) {
    expect(
      await frame.evaluate<string>('document.body?.innerText ?? ""').catch(() => ''),
    ).not.toContain('Needs you')
  }
  expect(await everything()).toEqual(before)
  // Nothing used the code up: the person who has it can.
  const context = await watched.browser.newContext()
  afterStory(() => context.close())
  const own = await context.newPage()
  await own.goto(link)
  await own.getByRole('navigation', { name: 'Pages' }).waitFor()
})

test.each(['evil.test', 'localhost.test', '127.0.0.1.test'])(
  'a name that points to this machine (%s) gets neither the page nor an answer',
  async (name) => {
    const { daemon } = watched.scene()
    const before = await everything()
    const origin = `http://${name}:${daemon.port}`
    const context = await watched.browser.newContext()
    afterStory(() => context.close())
    const page = await context.newPage()
    const answer = await page.goto(`${origin}/ui/`)
    expect(answer?.status()).toBe(421)
    expect(await page.content()).not.toContain('/ui/assets')
    const statuses = await page.evaluate<readonly unknown[]>(
      `Promise.all(['/runs', '/summaries', '/ui/', '/ui/session', '/health'].map((path) =>
        fetch(path, { method: path.endsWith('session') ? 'POST' : 'GET' }).then(({ status }) => status, () => 'refused')))`,
    )
    expect(statuses.filter((status) => status !== 421 && status !== 'refused')).toEqual([])
    expect(await everything()).toEqual(before)
  },
)

test('a window that a page opened and keeps tells it nothing', async () => {
  const { daemon } = watched.scene()
  const link = await newLink(daemon)
  const page = await openEvil(`http://evil.test:${evilPort}/`)
  const opening = page.context().waitForEvent('page')
  await page.evaluate(`window.opened = window.open(${JSON.stringify(link)})`)
  const opened = await opening
  await opened.waitForLoadState()
  const read = await page.evaluate<string>(
    `(() => { try { return String(window.opened.location.href) + window.opened.document.body.innerText } catch { return 'refused' } })()`,
  )
  expect(['refused', 'about:blank']).toContain(read)
})

test('a link is used once: a second use, in the same browser or another, gets no token and changes nothing', async () => {
  const { daemon } = watched.scene()
  const link = await newLink(daemon)
  const first = await openEvil(link)
  await first.getByRole('navigation', { name: 'Pages' }).waitFor()
  const before = await everything()
  for (let times = 0; times < 3; times++) {
    const again = await openEvil(link)
    await again.getByText('This link was used before').waitFor()
    expect(await again.evaluate('sessionStorage.length')).toBe(0)
  }
  const same = await first.context().newPage()
  await same.goto(link)
  await same.getByText('This link was used before').waitFor()
  expect(await everything()).toEqual(before)
})
