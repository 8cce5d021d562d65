// Canaries: keys in the environment, in a file, in headers and in URLs, repeated by a provider in
// every place and spelling. None is ever found in recordings or messages, and no key in what the
// agent receives.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  faultOf,
  readExchange,
  readKeys,
  type SessionOptions,
  writeExchange,
} from '../../src/gateway/index.ts'
import { ask, formats, openSetting, providersAt, type QuestionName } from './gateway-fixture.ts'
import { answerWith, startRawProvider } from './raw-provider.ts'

const envKey = 'sk-canary-env/0+aZ9_"quoted"~5f3e'
const fileKey = 'AIza-canary-file-77b1c9d2e4'
const ownKey = 'sk-canary-session-0a1b2c3d'
const named = 'canary-named-password-42+/='
const providerOf: Readonly<Record<QuestionName, string>> = {
  anthropic: envKey,
  chat: ownKey,
  responses: ownKey,
  gemini: fileKey,
}

let folder = ''
let keys: (provider: string) => string | undefined = () => undefined

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loopwright-canary-'))
  const file = join(folder, 'keys')
  await writeFile(file, `# mine\nexport GEMINI_API_KEY="${fileKey}"\n`, { mode: 0o600 })
  keys = await readKeys({ env: { ANTHROPIC_API_KEY: envKey }, file })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** How a secret may be written. */
const written = (secret: string): readonly string[] => spellings(secret, 0)
/** The part that does not depend on its surroundings: in base64 the ends do. */
const sought = (secret: string): readonly string[] => spellings(secret, 4)

function spellings(secret: string, ends: number): readonly string[] {
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift, 'x'), bytes, Buffer.from('yz')])
    const core = text.toString('base64').replaceAll('=', '')
    const inner = core.slice(ends, core.length - 2 * ends)
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
  const json = JSON.stringify(secret).slice(1, -1)
  return [
    secret,
    json,
    json.replaceAll('/', String.raw`\/`),
    JSON.stringify(json).slice(1, -1),
    encodeURIComponent(secret),
    Array.from(secret, escapeOf).join(''),
    Array.from(secret, (letter, at) => (at % 3 === 1 ? escapeOf(letter) : letter)).join(''),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...base64,
  ]
}

const escapeOf = (letter: string): string =>
  `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`

const found = (text: string, secrets: readonly string[]): readonly string[] =>
  secrets.flatMap(sought).filter((spelling) => text.includes(spelling))

type Echo = (secrets: readonly string[]) => Buffer | readonly Buffer[]

const inStream = { 'content-type': 'text/event-stream' }
const listed = (secrets: readonly string[]): string => secrets.flatMap(written).join(' , ')
const body = (secrets: readonly string[]): string =>
  JSON.stringify({ error: { message: secrets.join(' '), raw: listed(secrets) } })

/** Each piece of the text as an event, in all wire formats at once. */
function spelt(secrets: readonly string[], size: number): string {
  const text = secrets.map((secret) => `<${secret}>`).join('')
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  )
  const event = (piece: string): object => ({
    type: 'response.output_text.delta',
    delta: piece,
    choices: [{ delta: { content: piece } }],
    candidates: [{ content: { parts: [{ text: piece }] } }],
  })
  return pieces.map((piece) => `data: ${JSON.stringify(event(piece))}\n\n`).join('')
}

const byteByByte = (bytes: Buffer): readonly Buffer[] =>
  Array.from(bytes, (byte) => Buffer.of(byte))

const echoes: readonly (readonly [string, Echo])[] = [
  ['a refusal', (secrets) => answerWith(body(secrets), {}, '400 Bad Request')],
  ['a refused key', (secrets) => answerWith(body(secrets), {}, '401 Unauthorized')],
  ['an answer', (secrets) => answerWith(body(secrets))],
  ['an HTML page', (secrets) => answerWith(listed(secrets), { 'content-type': 'text/html' })],
  [
    'headers',
    (secrets) =>
      answerWith('{}', {
        'x-echo': secrets.map(encodeURIComponent).join(' '),
        'request-id': secrets.map((secret) => JSON.stringify(secret)).join(' '),
        'retry-after': Buffer.from(secrets.join(' ')).toString('base64'),
      }),
  ],
  ['a reason phrase', (secrets) => answerWith('{}', {}, `418 ${secrets.join(' ')}`)],
  ['a stream', (secrets) => answerWith(`data: ${body(secrets)}\n\n`, inStream)],
  [
    'a stream byte by byte',
    (secrets) => byteByByte(answerWith(`data: ${body(secrets)}\n\n`, inStream)),
  ],
  ['events of three letters', (secrets) => answerWith(spelt(secrets, 3), inStream)],
  ['events of one letter', (secrets) => answerWith(spelt(secrets, 1), inStream)],
  [
    'a compressed response',
    (secrets) => answerWith(gzipSync(body(secrets)), { 'content-encoding': 'gzip' }),
  ],
  [
    'a broken stream',
    (secrets) => answerWith(`data: ${body(secrets)}`, { ...inStream, 'content-length': '1000000' }),
  ],
  ['a redirect', (secrets) => answerWith('', { location: `/${listed(secrets)}` }, '307 Go')],
  ['no HTTP', (secrets) => Buffer.from(`${secrets.join(' ')}\r\n\r\n`)],
]

const cases = echoes.flatMap(([name, echo]) =>
  formats.map((format) => [name, format, echo] as const),
)

test.each(cases)(
  '%s that repeats everything, requested in the format %s',
  async (_name, format, echo) => {
    let known: readonly string[] = []
    await using provider = await startRawProvider((socket) => {
      const pieces = echo(known)
      for (const piece of Buffer.isBuffer(pieces) ? [pieces] : pieces) socket.write(piece)
      socket.end()
    })
    const session: Partial<SessionOptions> = {
      providers: providersAt(provider.url),
      keys: (name) => (name === 'openai' ? ownKey : keys(name)),
      secrets: [named],
    }
    await using setting = await openSetting([], { session })
    const { token } = setting.session
    const key = providerOf[format]
    known = [key, named, token]
    const answer = await ask(setting, format, true, {
      headers: {
        'x-api-key': token,
        'user-agent': `agent ${encodeURIComponent(named)}`,
        'x-note': Buffer.from(named).toString('base64'),
      },
    })
    const heard = [...answer.headers.values(), await answer.text().catch(() => '')].join('\n')
    const direct = await setting.post(`/v1/messages?key=${token}&x=${encodeURIComponent(named)}`, {
      model: `m ${named}`,
      max_tokens: 5,
      messages: [{ role: 'user', content: known.flatMap(written).join(' ') }],
    })
    await direct.text().catch(() => '')
    const totals = await setting.session.close()
    expect(setting.exchanges).toHaveLength(2)
    expect(provider.requests.length).toBeGreaterThanOrEqual(2)
    // The provider was sent its key, or this proves nothing.
    expect(provider.requests[0]).toContain(key)
    const kept = await Promise.all(setting.exchanges.map(writeExchange))
    const read = await Promise.all(kept.map(readExchange))
    const told = [read, setting.notes, totals, faultOf(totals)?.fault]
    const all = [known, [envKey, fileKey, ownKey]].flat()
    expect(found(JSON.stringify(told), all)).toEqual([])
    expect(found(joined(read.map((one) => one.answer.body.text).join('')), all)).toEqual([])
    expect(found(heard, [envKey, fileKey, ownKey])).toEqual([])
  },
)

/** What a reader would assemble from the pieces of a stream. */
function joined(text: string): string {
  return ['text', 'content', 'delta']
    .map((name) =>
      [...text.matchAll(new RegExp(String.raw`"${name}":"((?:[^"\\]|\\.)*)"`, 'g'))]
        .map(([, piece = '']) => JSON.parse(`"${piece}"`) as string)
        .join(''),
    )
    .join('\n')
}

test('the search for canaries finds planted ones', () => {
  for (const secret of [envKey, fileKey, ownKey, named]) {
    for (const spelling of written(secret)) expect(found(`a${spelling}b`, [secret])).not.toEqual([])
  }
  expect(found(joined(spelt([named], 3)), [named])).not.toEqual([])
})

test('a key in a header name does not reach the client', async () => {
  await using provider = await startRawProvider((socket) => {
    socket.end(
      answerWith('{}', { [ownKey.toUpperCase()]: '1', [`x-${ownKey}-y`]: '2', 'x-z': '3' }),
    )
  })
  const session = { providers: providersAt(provider.url), keys: () => ownKey }
  await using setting = await openSetting([], { session })
  const answer = await ask(setting, 'chat', false)
  expect([...answer.headers.keys()].filter((name) => name.includes(ownKey))).toEqual([])
  expect(answer.headers.get('x-z')).toBe('3')
  await answer.text()
  await setting.session.close()
  expect(JSON.stringify(setting.exchanges)).not.toContain(ownKey)
})
