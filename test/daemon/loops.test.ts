// What a page needs to start a run: the loop files of projects with their input, what prevents a run, which field is wrong.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { previewLoop, trustLoop } from '../../src/launch/load-loop.ts'
import type { LoopEntry } from '../../src/protocol/api/index.ts'
import { newFolder } from '../host-fixture.ts'
import { type Api, openApi } from './api-fixture.ts'

const greet = `description: Greets somebody.
input: { who: world, times: 3 }
prompt: Say hello to {{ input.who }}.
agent: { script: [[{ say: Hello. }]] }
checks: { yes: 'true' }
worktree: false
`

interface Project {
  readonly folder: string
  readonly file: string
  readonly api: Api
}

async function openProject(text = greet): Promise<Project> {
  const api = await openApi()
  const folder = join(newFolder(), 'shop')
  mkdirSync(join(folder, 'loops'), { recursive: true })
  const file = join(folder, 'loops', 'greet.yaml')
  writeFileSync(file, text)
  return { api, folder, file }
}

const itemsOf = (body: object): readonly LoopEntry[] =>
  (body as { readonly items: readonly LoopEntry[] }).items

test('a folder lists its loop files with the input of each, trusted or not', async () => {
  const { api, folder, file } = await openProject()
  writeFileSync(join(folder, 'compose.yaml'), 'services: {}\n')
  writeFileSync(join(folder, 'loops', 'broken.yaml'), 'promt: Typo.\n')
  writeFileSync(
    join(folder, 'loops', 'build.yaml'),
    'loop: build\nspec: specs/a.md\nagents: { maker: repair, reviewer: claude }\nchecks: { yes: "true" }\n',
  )
  const { status, body } = await api.send('POST', '/loops/find', { folder })
  expect(status).toBe(200)
  expect(itemsOf(body)).toMatchObject([
    { name: 'broken', trusted: false, problem: expect.stringContaining('promt') },
    {
      name: 'build',
      type: 'build',
      inputs: [
        { name: 'spec', from: 'loop-type', default: 'specs/a.md' },
        { name: 'plan', from: 'loop-type' },
      ],
    },
    {
      file,
      folder,
      name: 'greet',
      description: 'Greets somebody.',
      trusted: false,
      workspace: folder,
      inputs: [
        { name: 'who', default: 'world', from: 'loop-file' },
        { name: 'times', default: 3, from: 'loop-file' },
      ],
    },
  ])
})

test('known loops are those of trusted files and of the folders of runs, as long as they exist', async () => {
  const { api, folder, file } = await openProject()
  expect(itemsOf((await api.get('/loops')).body)).toEqual([])
  const { host } = api
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  await trustLoop({ file: join(folder, 'gone.yaml'), digest: 'a'.repeat(64) }, host.folder)
  expect(itemsOf((await api.get('/loops')).body)).toMatchObject([{ name: 'greet', trusted: true }])
  writeFileSync(join(folder, 'loops', 'other.yaml'), greet)
  const { status } = await api.send('POST', '/runs', { file, workspace: folder })
  expect(status).toBe(201)
  expect(itemsOf((await api.get('/loops')).body)).toMatchObject([
    { name: 'greet', trusted: true },
    { name: 'other', trusted: false },
  ])
})

test.each([
  [{ folder: 'shop' }, 400, 'folder'],
  [{ folder: '/does/not/exist' }, 404, 'folder'],
])(
  'a folder that cannot be listed is refused, and the field is named: %o',
  async (body, status, field) => {
    const { api } = await openProject()
    const answer = await api.send('POST', '/loops/find', body)
    expect(answer).toMatchObject({ status, body: { errors: [{ field }] } })
  },
)

test('what prevents a run is found before it is created, and nothing is started', async () => {
  const { api, folder, file } = await openProject()
  const request = { file, workspace: folder, input: { who: 'you' } }
  const { body } = await api.send('POST', '/loops/preflight', request)
  const found = body as { readonly findings: readonly { readonly what: string }[] }
  expect(found).toMatchObject({ loop: 'greet' })
  expect(found.findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['loop file', 'agent', 'sandbox', 'disk', 'checks']),
  )
  expect((await api.get('/runs')).body).toEqual({ items: [] })
})

test('a missing program is a problem of the preflight', async () => {
  const { api, folder, file } = await openProject(greet.replace("'true'", 'no-such-program'))
  const { body } = await api.send('POST', '/loops/preflight', { file, workspace: folder })
  expect(body).toMatchObject({
    ready: false,
    findings: expect.arrayContaining([
      { what: 'checks', status: 'problem', detail: expect.stringContaining('no-such-program') },
    ]),
  })
})

test.each([
  [{ input: { whom: 'you' } }, 'input.whom'],
  [{ workspace: 'shop' }, 'workspace'],
  [{ limits: { iterations: -1 } }, 'body.limits.iterations'],
])('a request names the field that is wrong: %o', async (more, field) => {
  const { api, folder, file } = await openProject()
  await trustLoop(await previewLoop(file, api.host.folder), api.host.folder)
  for (const path of ['/loops/preflight', '/loops/plan', '/runs']) {
    const request = { file, workspace: folder, ...more }
    const answer = await api.send('POST', path, request)
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  }
})

test('a build without a spec names the field', async () => {
  const { api, folder, file } = await openProject(
    'loop: build\nagents: { maker: repair, reviewer: claude }\nchecks: { yes: "true" }\n',
  )
  const { body } = await api.send('POST', '/loops/preflight', { file, workspace: folder })
  expect(body).toMatchObject({ errors: [{ field: 'input.spec' }] })
  const missing = { file, workspace: folder, input: { plan: 'no.md' } }
  const answer = await api.send('POST', '/loops/preflight', missing)
  expect(answer.body).toMatchObject({ errors: [{ field: 'input.plan' }] })
})

test('the catalog says what each of its loops needs', async () => {
  const { api } = await openProject()
  const { body } = await api.get('/catalog')
  expect(body).toMatchObject({
    items: expect.arrayContaining([
      expect.objectContaining({ name: 'ci-sweeper', needs: ['git', 'gh', 'checks'] }),
    ]),
  })
})

test('a stream of schedules sends all of them, and again after each change', async () => {
  const { api, folder, file } = await openProject()
  const { host } = api
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  const stop = new AbortController()
  const response = await api.app.request('/schedules', {
    headers: { accept: 'text/event-stream' },
    signal: stop.signal,
  })
  const reader = response.body?.getReader()
  if (reader === undefined) throw new Error('there is no stream')
  let text = ''
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(text)) text += new TextDecoder().decode((await reader.read()).value)
  }
  await until(/"items":\[\]/)
  const trigger = { type: 'time', cadence: 'daily 09:00' }
  const added = await api.send('POST', '/schedules', {
    file,
    workspace: folder,
    trigger,
    fromNext: true,
    name: 'chore',
  })
  expect(added.status).toBe(201)
  await until(/"name":"chore"/)
  await api.send('POST', '/schedules/pause', { reason: 'incident' })
  await until(/"paused":\{[^}]*"reason":"incident"/)
  const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))
  expect(ids).toEqual(ids.toSorted((a, b) => a - b))
  expect(new Set(ids).size).toBe(ids.length)
  stop.abort()
  await reader.cancel()
})
