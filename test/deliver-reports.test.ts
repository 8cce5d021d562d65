// Reports of rounds reach their receivers at least once: also after a crash, with retries that end, and to no other address.

import { execFile } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  answer,
  listen,
  open,
  type Received,
  report,
  reported,
  resetScene,
  scene,
} from './deliver-fixture.ts'

const secret = `whsec_${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`

beforeEach(resetScene)

describe('a report', () => {
  test('is delivered once to each receiver, and a second look sends nothing', async () => {
    const { printed, deliver, known } = await open([
      { type: 'stdout' },
      { type: 'file', folder: 'team/triage' },
    ])
    expect(await deliver()).toBeUndefined()
    expect(await deliver()).toBeUndefined()
    expect(printed).toHaveLength(1)
    expect(printed[0]).toContain('[L1-report] loop `triage` (reported)')
    expect(printed[0]).not.toContain('\u001b')
    const [file = '', ...more] = readdirSync(join(scene.folder, 'reports/team/triage'))
    expect(more).toEqual([])
    expect(readFileSync(join(scene.folder, 'reports/team/triage', file), 'utf8')).toBe(printed[0])
    expect((await known()).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  })

  test('of a round that simply proceeded stays quiet, unless its level changed', async () => {
    const quiet = report({ type: 'proceeded' })
    const notice = report({ type: 'proceeded' }, ['level for merge: L3 became L2'])
    const { printed, deliver } = await open([{ type: 'stdout' }], [quiet, notice])
    await deliver()
    expect(printed).toHaveLength(1)
    expect(printed[0]).toContain('level for merge')
  })

  test('that is journaled later is delivered with another id', async () => {
    const { url, received } = await listen()
    const sinks = [{ type: 'webhook', url, timeoutMs: 5000 }] as const
    const { deliver, add } = await open(sinks, [reported], { LOOPWRIGHT_WEBHOOKS: url })
    await deliver()
    await add(report({ type: 'escalated', reason: 'why' }), 2)
    await deliver()
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(2)
  })

  test('that was sent but not recorded is sent again with the same id', async () => {
    const { url, received } = await listen()
    const sinks = [{ type: 'webhook', url, timeoutMs: 5000 }] as const
    const { deliver, journal } = await open(sinks, [reported], { LOOPWRIGHT_WEBHOOKS: url })
    const { setFact } = journal
    // As after kill -9: what happened is not recorded.
    journal.setFact = () => Promise.reject(new Error('killed'))
    await expect(deliver()).rejects.toThrow('killed')
    journal.setFact = setFact
    await deliver()
    await deliver()
    expect(received.map(({ headers }) => headers['webhook-id'])).toHaveLength(2)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })
})

describe('a webhook', () => {
  test('is signed as Standard Webhooks', async () => {
    const { url, received } = await listen()
    const sinks = [{ type: 'webhook', url, secretEnv: 'S', timeoutMs: 5000 }] as const
    const environment = { LOOPWRIGHT_WEBHOOKS: url, S: secret }
    const { deliver } = await open(sinks, [reported], environment)
    await deliver()
    const { body, headers }: Received = received[0] ?? { path: '', body: '', headers: {} }
    expect(new Webhook(secret).verify(body, headers)).toMatchObject({
      type: 'round.reported',
      data: { id: headers['webhook-id'], report: { run: 'triage-1' } },
    })
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature')
  })

  test('is tried again after 5xx, 429 and silence, each time later, and is given up in the end', async () => {
    const { url, received } = await listen(answer(500), answer(429), answer(503))
    const sinks = [{ type: 'webhook', url, timeoutMs: 5000 }] as const
    const { deliver, failed, known } = await open(sinks, [reported], { LOOPWRIGHT_WEBHOOKS: url })
    const waits: number[] = []
    for (let next = await deliver(); next !== undefined; next = await deliver()) {
      expect(next).toBeGreaterThan(scene.nowMs)
      // Not before it is due.
      expect(await deliver()).toBe(next)
      waits.push(next - scene.nowMs)
      scene.nowMs = next
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(received).toHaveLength(waits.length + 1)
    expect(failed).toEqual([expect.stringContaining('(503)')])
    expect(await known()).toMatchObject([{ status: 'failed', tries: 9 }])
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })

  test.each([
    [
      'a redirect',
      (response: ServerResponse) => void response.writeHead(302, { location: '/x' }).end(),
    ],
    ['404', answer(404)],
  ])('is given up at once after %s, which is not followed', async (_what, first) => {
    const { url, received } = await listen(first)
    const sinks = [{ type: 'webhook', url, timeoutMs: 5000 }] as const
    const { deliver, failed } = await open(sinks, [reported], { LOOPWRIGHT_WEBHOOKS: url })
    expect(await deliver()).toBeUndefined()
    expect(received).toHaveLength(1)
    expect(failed).toHaveLength(1)
  })

  test('reads no more of an endless answer than it has to', async () => {
    let written = 0
    const { url } = await listen((response) => {
      response.writeHead(200)
      const timer = setInterval(() => {
        written += 65_536
        if (!response.write(Buffer.alloc(65_536)) || written > 64e6) clearInterval(timer)
      }, 1)
      response.on('close', () => clearInterval(timer))
    })
    const sinks = [{ type: 'webhook', url, timeoutMs: 20_000 }] as const
    const { deliver, known } = await open(sinks, [reported], { LOOPWRIGHT_WEBHOOKS: url })
    await deliver()
    expect(await known()).toMatchObject([{ status: 'delivered' }])
    expect(written).toBeLessThan(32e6)
  })

  test.each([
    ['no list', {}],
    ['another address in the list', { LOOPWRIGHT_WEBHOOKS: 'https://hooks.example.com/' }],
  ])('goes nowhere with %s', async (_what, environment) => {
    const { url, received } = await listen()
    const sinks = [{ type: 'webhook', url, timeoutMs: 5000 }] as const
    const { deliver, failed } = await open(sinks, [reported], environment)
    expect(await deliver()).toBeUndefined()
    expect(received).toEqual([])
    expect(failed).toEqual([expect.stringContaining('LOOPWRIGHT_WEBHOOKS')])
  })

  test('has no secret in its errors', async () => {
    const { url } = await listen()
    const sinks = [{ type: 'webhook', url, secretEnv: 'S', timeoutMs: 5000 }] as const
    const environment = { LOOPWRIGHT_WEBHOOKS: url, S: 'hunter2 is no base64!' }
    const { deliver, failed } = await open(sinks, [reported], environment)
    await deliver()
    expect(failed).toEqual([expect.stringContaining('S is not a secret')])
    expect(failed.join()).not.toContain('hunter2')
  })
})

test('Slack gets Block Kit without markup or mentions, at the address of the variable', async () => {
  const { url, received } = await listen()
  const address = `${url}/services/T0/B0/secret`
  const { deliver } = await open([{ type: 'slack', urlEnv: 'HOOK' }], [reported], { HOOK: address })
  await deliver()
  const { path, body } = received[0] ?? { path: '', body: '' }
  expect(path).toBe('/services/T0/B0/secret')
  const message = JSON.parse(body) as {
    readonly text: string
    readonly blocks: readonly { readonly text?: { type: string } }[]
  }
  expect(message.blocks.map(({ text }) => text?.type ?? 'context')).toEqual([
    'plain_text',
    'plain_text',
    'context',
  ])
  expect(JSON.stringify(message)).not.toContain('mrkdwn')
  // Slack reads mentions only where it reads markup, which is in this field.
  expect(message.text).not.toMatch(/<!|<@|<http/)
})

test('a Slack address that does not answer is not shown', async () => {
  const environment = { HOOK: 'http://127.0.0.1:9/services/hunter2' }
  const { deliver, known } = await open(
    [{ type: 'slack', urlEnv: 'HOOK' }],
    [reported],
    environment,
  )
  expect(await deliver()).toBe(scene.nowMs + 5000)
  const [{ error = '' } = {}] = await known()
  expect(error).toContain('HOOK')
  expect(error).not.toContain('hunter2')
})

test('a secret of the environment that a report repeats leaves this machine nowhere', async () => {
  const { url, received } = await listen()
  const hook = `${url}/services/T0/B0/hunter2-hunter2`
  const environment = {
    LOOPWRIGHT_WEBHOOKS: url,
    HOOK: hook,
    SIGNING: secret,
    MODEL_API_KEY: 'sk-ant-0123456789abcdef',
  }
  const text = `The log says ${Object.values(environment).slice(1).join(' and ')}.`
  const leaking = { ...reported, maker: { status: 'done', iterations: 1, text } as const }
  const { deliver, printed } = await open(
    [
      { type: 'slack', urlEnv: 'HOOK' },
      { type: 'webhook', url, secretEnv: 'SIGNING', timeoutMs: 5000 },
      { type: 'file', folder: 'triage' },
      { type: 'stdout' },
    ],
    [leaking],
    environment,
  )
  await deliver()
  const folder = join(scene.folder, 'reports/triage')
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  const sent = [...received.map(({ body }) => body), ...files, ...printed]
  expect(sent).toHaveLength(4)
  for (const body of sent) {
    expect(body).toContain('The log says')
    expect(body).not.toMatch(/hunter2|0123456789abcdef|MDEyMzQ1/)
  }
})

describe('an e-mail', () => {
  const setUp = (allowed: string) => {
    const out = join(scene.folder, 'mail.txt')
    const mail = join(scene.folder, 'mail.sh')
    writeFileSync(mail, `#!/bin/sh\ncat > ${out}\necho "$LOOPWRIGHT_REPORT_ID" >> ${out}\n`)
    chmodSync(mail, 0o755)
    const environment = {
      PATH: process.env['PATH'] ?? '',
      LOOPWRIGHT_MAIL_COMMAND: `${mail} -t`,
      LOOPWRIGHT_MAIL_TO: allowed,
    }
    return { out, environment }
  }

  test('goes through the command of the operator, with no header that an agent wrote', async () => {
    const { out, environment } = setUp('@example.com')
    const sinks = [{ type: 'email', to: 'team@example.com' }] as const
    const { deliver } = await open(sinks, [reported], environment)
    await deliver()
    const text = readFileSync(out, 'utf8')
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toContain('To: team@example.com\r\n')
    expect(text).not.toMatch(/^Bcc:/im)
    const id = /Message-ID: <(\w+)@/.exec(head)?.[1] ?? ''
    expect(text.trimEnd().endsWith(id)).toBe(true)
    const encoded = body.slice(0, body.lastIndexOf('\r\n'))
    expect(Buffer.from(encoded, 'base64').toString('utf8')).toContain('Bcc: x@evil.example')
  })

  test('goes only to allowed recipients', async () => {
    const { environment } = setUp('boss@example.com, @example.org')
    for (const to of ['team@example.com', 'x@evil-example.org', 'boss@example.com.evil.org']) {
      const { deliver, failed } = await open([{ type: 'email', to }], [reported], environment)
      await deliver()
      expect(failed).toEqual([expect.stringContaining('LOOPWRIGHT_MAIL_TO')])
    }
  })
})

test('a file is not written through a link that leads out of the reports', async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'loopwright-elsewhere-'))
  onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
  mkdirSync(join(scene.folder, 'reports'))
  symlinkSync(elsewhere, join(scene.folder, 'reports/team'))
  const { deliver, failed } = await open([{ type: 'file', folder: 'team' }])
  await deliver()
  expect(readdirSync(elsewhere)).toEqual([])
  expect(failed).toEqual([expect.stringContaining('leads out of')])
})

test('a file that does not fit leaves no part of it behind', async () => {
  const sender = join(import.meta.dirname, '../dist/launch/deliver/send-report.js')
  const message = { id: 'msg_1', text: 'a'.repeat(5000), subject: 's', atMs: 1, report: reported }
  const script = `
    const { sendReport } = await import(${JSON.stringify(sender)})
    const ports = { folder: ${JSON.stringify(scene.folder)}, environment: {}, operator: {}, print() {} }
    const sink = { type: 'file', folder: 'team' }
    const { signal } = new AbortController()
    await sendReport(ports, sink, ${JSON.stringify(message)}, signal).catch((error) => console.log(error.message))
  `
  // Part of the text fits, as on a disk that is almost full.
  const limited = `ulimit -f 1; exec "${process.execPath}" --input-type=module -e "$0"`
  const { stdout } = await promisify(execFile)('bash', ['-c', limited, script])
  expect(stdout).toMatch(/could not be written .*(EFBIG|ENOSPC)/)
  expect(readdirSync(join(scene.folder, 'reports/team'))).toEqual([])
})
