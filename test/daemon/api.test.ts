// What the API answers: rejections that name the problem, pages, keys, and no details of internal
// errors.

import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/daemon/index.ts'
import { legacyRunFields } from '../../src/formats/run-request-keys.ts'
import { type Host, previewLoop, trustLoop } from '../../src/host/index.ts'
import { isLoopError, type RunId } from '../../src/loop/index.ts'
import { type InboxQuestion, newRunSchema } from '../../src/protocol/api/index.ts'
import { localUser } from '../../src/system/local-user.ts'
import { lines, newFolder } from '../host-fixture.ts'
import { type Api, openApi } from './api-fixture.ts'

/** For tests that do not change it. */
let shared: Api

beforeAll(async () => {
  shared = await openApi({ lasts: 'file' })
})

/** A run that has ended, and its id. */
async function ended(host: Host, name: string): Promise<RunId> {
  const handle = await host.start(lines, { input: 2, workspace: newFolder(), name })
  await handle.done
  return handle.id
}

async function loopFile(host: Host): Promise<string> {
  const file = join(newFolder(), 'lines.yaml')
  const agent = '{ script: [[{ call: write, args: { path: a.txt, content: a } }]] }'
  writeFileSync(file, `prompt: Add a line.\nagent: ${agent}\nchecks: { there: test -s a.txt }\n`)
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  return file
}

describe('an invalid request', () => {
  test('a body that does not end is read only up to the limit', async () => {
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 1
        // A bound, in case the server reads on anyway.
        if (sent > 64) controller.close()
        else controller.enqueue(new Uint8Array(1024 * 1024).fill(32))
      },
    })
    const asked = new Request('http://localhost/runs', { method: 'POST', body, duplex: 'half' })
    expect((await shared.app.request(asked)).status).toBe(413)
    expect(sent).toBeLessThan(16)
  })

  test.each([
    ['GET', '/runs?limit=0', 'query.limit'],
    ['GET', '/runs?limit=1&limit=2', 'query.limit'],
    ['GET', '/runs?stauts=running', 'query.stauts'],
    ['GET', '/runs?status=done', 'query.status'],
    ['GET', '/runs?cursor=%20', 'query.cursor'],
    ['GET', '/runs/a/checkpoints/one', 'path.n'],
    ['GET', `/runs/${'a'.repeat(257)}`, 'path.run'],
    ['POST', '/runs', 'body.file', {}],
    ['POST', '/runs', 'body.limits.iterations', { file: '/a', limits: { iterations: -1 } }],
    ['POST', '/runs', 'body.polute', { file: '/a', polute: 1 }],
    ['POST', '/runs/a/pause', 'body.by', { by: 7 }],
    ['PATCH', '/runs/a/limits', 'body.limits', {}],
  ])('%s %s is refused and names %s', async (method, path, field, body?: object) => {
    const answer = await shared.send(method, path, body)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.body).toMatchObject({
      status: 400,
      code: 'bad-request',
      errors: [{ field, reason: expect.any(String) }],
      detail: expect.stringContaining(field),
    })
  })

  test('a field of the legacy API is refused with what to use instead', async () => {
    const body = { file: '/a', spec_path: 'a.md', polute: 1, limits: { spec_path: 1 } }
    const answer = await shared.send('POST', '/runs', body)
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'body.limits.spec_path', reason: 'unknown field' },
          { field: 'body.spec_path', reason: expect.stringContaining('use input.spec') },
          { field: 'body.polute', reason: 'unknown field' },
        ],
      },
    })
  })

  test.each(Object.entries(legacyRunFields))('instead of %s: %s, which exists', (_name, advice) => {
    const [, path = ''] = /use ([\w.]+)/.exec(advice) ?? []
    const value = path.split('.').reduceRight<object>((inner, key) => ({ [key]: inner }), [])
    const { error } = newRunSchema.safeParse({ file: '/a', ...value })
    // It has another type, which shows that the field is known.
    expect(error?.issues.map(({ code }) => code)).not.toContain('unrecognized_keys')
    expect(new Set(error?.issues.map((issue) => issue.path.join('.')))).toEqual(new Set([path]))
  })

  test.each(['{', '[]', 'null', '{"file":"/a","__proto__":{"x":1}}', '['.repeat(9999)])(
    'with the body %s is refused',
    async (body) => {
      const response = await shared.app.request('/runs', { method: 'POST', body })
      expect(response.status).toBe(400)
      expect(({} as Record<string, unknown>)['x']).toBeUndefined()
    },
  )
})

describe('what does not exist', () => {
  test('is 404 for a path, and 405 with the allowed methods for a method', async () => {
    const { get, send } = shared
    expect(await get('/nothing')).toMatchObject({ status: 404, body: { code: 'unknown-path' } })
    const paths = new Set(operations.map(({ path }) => path))
    for (const path of paths) {
      const answer = await send('PUT', path.replaceAll(/\{\w+\}/g, 'x'), {})
      const there = operations.filter((one) => one.path === path)
      expect(answer).toMatchObject({ status: 405, body: { code: 'wrong-method' } })
      const allowed = answer.headers.get('allow')?.split(', ')
      expect(allowed).toEqual(
        expect.arrayContaining(there.map(({ method }) => method.toUpperCase())),
      )
    }
  })

  test('an ambiguous run is 409, with the candidates', async () => {
    const { host, get } = await openApi()
    const [one, two] = [await ended(host, 'calm-otter'), await ended(host, 'calm-owl')]
    const { status, body } = await get('/runs/calm')
    expect(status).toBe(409)
    expect(body).toMatchObject({
      code: 'ambiguous-run',
      candidates: [
        { id: one, name: 'calm-otter' },
        { id: two, name: 'calm-owl' },
      ],
    })
    expect((await get('/runs/calm-ow')).body).toMatchObject({ run: { id: two } })
  })

  test('an operation that the state of a run no longer allows is 409, with those that it allows', async () => {
    const { host, send } = await openApi()
    const run = await ended(host, 'calm-otter')
    for (const what of ['pause', 'resume', 'stop', 'cancel']) {
      const { status, body } = await send('POST', `/runs/${run}/${what}`, {})
      expect(status).toBe(409)
      expect(body).toMatchObject({
        code: 'wrong-status',
        possible: expect.arrayContaining(['fork', 'delete']),
      })
      expect(body).not.toMatchObject({ possible: expect.arrayContaining(['retry']) })
    }
  })
})

describe('a new run', () => {
  test('is created once per key, and a different run with the same key is refused', async () => {
    const { host, send } = await openApi()
    const request = { file: await loopFile(host), workspace: newFolder(), attended: true }
    const key = { 'idempotency-key': 'k1' }
    const first = await send('POST', '/runs', request, key)
    expect(first.status).toBe(201)
    const { run } = first.body as { run: { id: string } }
    expect(first.headers.get('location')).toBe(`/runs/${run.id}`)
    const second = await send('POST', '/runs', request, key)
    expect(second).toMatchObject({ status: 200, body: { run: { id: run.id } } })
    const other = await send('POST', '/runs', { ...request, again: true }, key)
    expect(other).toMatchObject({ status: 422, body: { code: 'key-reused' } })
    expect(await host.list()).toHaveLength(1)
  })

  test('from an untrusted file is refused with what to review', async () => {
    const { send } = shared
    const file = join(newFolder(), 'x.yaml')
    writeFileSync(file, 'prompt: x\nagent: { command: ["true"] }\nchecks: { a: "true" }\n')
    const refused = await send('POST', '/runs', { file, workspace: newFolder() })
    expect(refused.status).toBe(403)
    const { preview } = refused.body as { preview: { digest: string } }
    expect(preview).toMatchObject({ file, powers: expect.arrayContaining([expect.any(String)]) })
    const seen = await send('POST', '/loops/preview', { file })
    expect(seen.body).toMatchObject({ digest: preview.digest, trusted: false })
  })

  test('can be planned first, which creates nothing', async () => {
    const { host, send } = await openApi()
    const workspace = newFolder()
    const plan = await send('POST', '/loops/plan', { file: await loopFile(host), workspace })
    expect(plan.status).toBe(200)
    expect(plan.body).toMatchObject({ workspace, policy: 'none', checks: [{ name: 'there' }] })
    expect(await host.list()).toEqual([])
    expect(readdirSync(workspace)).toEqual([])
  })
})

describe('reading', () => {
  test('is split into pages that add up', async () => {
    const { host, get } = await openApi()
    for (const name of ['a-one', 'a-two', 'b-three']) await ended(host, name)
    const names: string[] = []
    let path = '/runs?limit=2'
    for (;;) {
      const { items, next } = (await get(path)).body as { items: { name: string }[]; next?: string }
      names.push(...items.map(({ name }) => name))
      if (next === undefined) break
      path = `/runs?limit=2&cursor=${next}`
    }
    expect(names).toEqual(['b-three', 'a-two', 'a-one'])
    const found = (await get('/runs?name=a-&status=COMPLETED')).body
    expect(found).toMatchObject({ items: [{ name: 'a-two' }, { name: 'a-one' }] })
    expect((await get('/runs?status=RUNNING')).body).toEqual({ items: [] })
    expect((await get('/daemon')).body).toMatchObject({ counts: { runs: { completed: 3 } } })
  })

  test('is not repeated for a client that has the content, and supports HEAD', async () => {
    const { host, app, get } = await openApi()
    const run = await ended(host, 'calm-otter')
    const { headers } = await get(`/runs/${run}`)
    const etag = headers.get('etag') ?? ''
    const again = await get(`/runs/${run}`, { 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
    const head = await app.request(`/runs/${run}`, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('etag')).toBe(etag)
    expect(await head.text()).toBe('')
  })

  test('changes nothing', async () => {
    const { host, get } = await openApi()
    const run = await ended(host, 'calm-otter')
    const before = filesIn(host.folder)
    for (const { method, path } of operations) {
      if (method !== 'get') continue
      const { status } = await get(path.replace('{run}', run).replaceAll(/\{\w+\}/g, '1'))
      expect({ path, isOurs: status >= 500 }).toEqual({ path, isOurs: false })
    }
    expect(filesIn(host.folder)).toEqual(before)
  })

  test('streams on request, and ends with the run', async () => {
    const { host, app } = await openApi()
    const run = await ended(host, 'calm-otter')
    const headers = { accept: 'text/event-stream', 'last-event-id': '2' }
    const response = await app.request(`/runs/${run}/events`, { headers })
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    const text = await response.text()
    expect(text).toContain('id: 3\n')
    expect(text).not.toContain('id: 2\n')
    expect(text).toContain('event: run-ended\n')
    const head = await app.request(`/runs/${run}/events`, { headers, method: 'HEAD' })
    expect(head.status).toBe(200)
  })
})

test('a question of a run is answered once, and the run continues', async () => {
  const { host, get, send } = await openApi()
  const folder = newFolder()
  const file = join(folder, 'curious.yaml')
  writeFileSync(join(folder, 'spec.txt'), 'a line')
  writeFileSync(
    file,
    `prompt: Change it.
agent: { command: [sh, -c, echo more >> spec.txt] }
checks: { there: test -s spec.txt }
seals: { paths: [spec.txt], changes: ask }
certify: { teeth: false }
`,
  )
  await trustLoop(await previewLoop(file, host.folder), host.folder)
  const created = await send('POST', '/runs', { file, workspace: folder, attended: true })
  const { id } = created.body['run'] as { id: RunId }
  for await (const { event } of host.events(id)) {
    if (event.type === 'step-started' && event.kind === 'ask') break
  }
  const { items } = (await get('/questions')).body as { items: readonly InboxQuestion[] }
  expect(items).toHaveLength(1)
  const path = `/runs/${id}/questions/${encodeURIComponent(items[0]?.id ?? '')}/answer`
  const odd = await send('POST', path, { answer: 'perhaps', by: 'ada' })
  expect(odd).toMatchObject({ status: 400, body: { detail: expect.stringContaining('approve') } })
  const answered = await send('POST', path, { answer: 'approve', by: 'ada' })
  expect(answered).toMatchObject({ status: 200, body: { run: { id } } })
  const last = []
  for await (const { event } of host.events(id)) last.push(event)
  expect(last).toContainEqual(
    expect.objectContaining({ type: 'decision-applied', by: localUser(), claimedBy: 'ada' }),
  )
  expect(last.at(-1)).toMatchObject({ type: 'run-ended', outcome: { type: 'completed' } })
  const late = await send('POST', path, { answer: 'reject', by: 'ada' })
  expect(late).toMatchObject({ status: 404, body: { code: 'unknown-question' } })
})

test('an internal error is logged with its id, and its details are not returned', async () => {
  const inspect = (): Promise<never> => Promise.reject(new TypeError('secret internals'))
  const { errors, get } = await openApi({ inspect })
  const { status, body, text } = await get('/runs/any')
  expect(status).toBe(500)
  expect(text).not.toContain('secret')
  const id = String(body['instance']).split(':').at(-1) ?? ''
  expect(errors).toHaveLength(1)
  expect(errors[0]).toContain(id)
  expect(errors[0]).toContain('secret internals')
})

test('the daemon stops after it has answered', async () => {
  const { send, stopped } = shared
  const { status } = await send('POST', '/daemon/stop', {})
  expect([status, stopped.times]).toEqual([202, 0])
  await new Promise((resolve) => setImmediate(resolve))
  expect(stopped.times).toBe(1)
})

test('a run to remove is named exactly, and is gone afterwards', async () => {
  const { host, send } = await openApi()
  await ended(host, 'calm-otter')
  expect((await send('DELETE', '/runs/calm')).status).toBe(400)
  expect(await send('DELETE', '/runs/calm-otter')).toMatchObject({
    status: 200,
    body: { name: 'calm-otter' },
  })
  const gone = await host.inspect('calm-otter').catch((error: unknown) => error)
  expect(isLoopError(gone, 'unknown-run')).toBe(true)
})

/** Every file with its size and time, except the shared memory of the store. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => `${path} ${statSync(path).size} ${statSync(path).mtimeMs}`)
    .toSorted()
