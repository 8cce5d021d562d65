/**
 * S1, S2, S3, S7: what pages, neighbours and old tokens try on every route of the real daemon. Each has
 * the answer that it must get; and in the end the record is as it was, to the row.
 */

import type { DaemonProcess } from './daemon-process.ts'
import { findRoutes, isLooking, type Route } from './daemon-routes.ts'
import { openStage, type Stage } from './daemon-stage.ts'
import { type RawAnswer, type RawRequest, sendRaw } from './raw-http.ts'

type Header = readonly [name: string, value: string]

export interface Attack {
  readonly table: 'S1' | 'S2' | 'S3' | 'S7'
  readonly name: string
  /** All headers but the length. */
  headers(target: Target): readonly Header[]
  /** The answers that it may get. */
  readonly refusals: readonly number[]
  /** Those that look cannot be used for it. */
  readonly onlyChanging?: true
  readonly isUpgrade?: true
}

export interface Target extends Pick<DaemonProcess, 'token' | 'readToken'> {
  /** Where it is asked; its Host is that of this port. */
  readonly port: number
  /** One that was replaced, and one of another daemon. */
  readonly oldToken: string
  readonly otherToken: string
}

const hostOf = ({ port }: Target): Header => ['Host', `127.0.0.1:${port}`]
const bearer = (token: string): Header => ['Authorization', `Bearer ${token}`]
const json: Header = ['Content-Type', 'application/json']

const byHost = (name: string, toHost: (port: number) => readonly string[]): Attack => ({
  table: 'S1',
  name,
  headers: (at) => [
    ...toHost(at.port).map((host): Header => ['Host', host]),
    bearer(at.token),
    json,
  ],
  refusals: [421],
})

const byBody = (name: string, ...more: readonly Header[]): Attack => ({
  table: 'S2',
  name,
  headers: (at) => [hostOf(at), bearer(at.token), ...more],
  refusals: [415],
  onlyChanging: true,
})

const byOrigin = (name: string, toHeader: (port: number) => Header): Attack => ({
  table: 'S2',
  name,
  headers: (at) => [hostOf(at), bearer(at.token), json, toHeader(at.port)],
  refusals: [403],
})

const byToken = (
  name: string,
  toHeaders: (target: Target) => readonly Header[],
  isUpgrade?: true,
): Attack => ({
  table: 'S3',
  name,
  headers: (at) => [hostOf(at), json, ...toHeaders(at)],
  refusals: [401],
  ...(isUpgrade === undefined ? {} : { isUpgrade }),
})

const stream: Header = ['Accept', 'text/event-stream']
const upgrade: readonly Header[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
  ['Sec-WebSocket-Key', 'AAAAAAAAAAAAAAAAAAAAAA=='],
]

const many: readonly Header[] = Array.from({ length: 2000 }, () => ['a', 'b'])

export const attacks: readonly Attack[] = [
  byHost('another name', (port) => [`evil.example:${port}`]),
  byHost('a name that begins like ours', (port) => [`127.0.0.1.evil.example:${port}`]),
  byHost('0.0.0.0', (port) => [`0.0.0.0:${port}`]),
  byHost('another port', () => ['127.0.0.1:1']),
  byHost('a dot at the end', (port) => [`localhost.:${port}`]),
  byHost('IPv6 of everybody', (port) => [`[::]:${port}`]),
  byHost('empty', () => ['']),
  byHost('two', (port) => [`127.0.0.1:${port}`, `evil.example:${port}`]),
  byHost('none', () => []),
  {
    table: 'S1',
    name: 'a second one, after more headers than Node keeps',
    headers: (at) => [hostOf(at), bearer(at.token), json, ...many, ['Host', 'evil.example']],
    refusals: [421],
  },
  byBody('text/plain', ['Content-Type', 'text/plain']),
  byBody('a form', ['Content-Type', 'application/x-www-form-urlencoded']),
  byBody('multipart', ['Content-Type', 'multipart/form-data; boundary=x']),
  byBody('no type'),
  byOrigin('Origin null', () => ['Origin', 'null']),
  byOrigin('another port of localhost', () => ['Origin', 'http://localhost:3000']),
  byOrigin('another origin', (port) => ['Origin', `http://127.0.0.1:${port}.evil.example`]),
  byOrigin('another site', () => ['Sec-Fetch-Site', 'cross-site']),
  byToken('no token', () => []),
  byToken('a wrong token', () => [bearer('x'.repeat(43))]),
  byToken('a token that was replaced', (at) => [bearer(at.oldToken)]),
  byToken('the token of another daemon', (at) => [bearer(at.otherToken)]),
  byToken('no token, a stream', () => [stream]),
  byToken('no token, an upgrade', () => upgrade, true),
  byToken('a wrong token, an upgrade', () => [bearer('x'.repeat(43)), ...upgrade], true),
  {
    table: 'S7',
    name: 'a token that may only look',
    headers: (at) => [hostOf(at), bearer(at.readToken), json],
    refusals: [403],
    onlyChanging: true,
  },
]

export interface Attacked {
  /** How many were made, by table. */
  readonly made: ReadonlyMap<Attack['table'], number>
  readonly routes: number
  readonly problems: readonly string[]
}

/** What a person should know of an answer that was none of those it should be. */
export async function attackAll(
  target: Target,
  routes: readonly Route[],
  { run, file }: Pick<Stage, 'run' | 'file'>,
): Promise<Pick<Attacked, 'made' | 'problems'>> {
  const made = new Map<Attack['table'], number>()
  const problems: string[] = []
  for (const attack of attacks) {
    const open = attack.onlyChanging === true ? routes.filter((one) => !isLooking(one)) : routes
    made.set(attack.table, (made.get(attack.table) ?? 0) + open.length)
    await Promise.all(
      open.map(async (route) => {
        const answer = await sendRaw({ port: target.port }, toRequest(attack, route))
        problems.push(...findWrong(attack, route, answer))
      }),
    )
  }
  return { made, problems }

  function toRequest(attack: Attack, route: Route): RawRequest {
    const path = route.path
      .replace('{run}', run)
      .replace('{n}', '1')
      .replace('{path}', 'summary.json')
      .replaceAll(/\{\w+\}/g, 'any')
    const { file: asked } = JSON.parse(route.body) as { readonly file?: string }
    const body = asked === undefined ? route.body : JSON.stringify({ file })
    const isBodied = !isLooking(route) && attack.isUpgrade !== true
    const request = { method: route.method, path, headers: attack.headers(target) }
    return isBodied ? { ...request, body } : request
  }
}

function findWrong(
  { table, name, refusals }: Attack,
  { method, path }: Route,
  { status, head }: RawAnswer,
): readonly string[] {
  const what = `${table} ${name}: ${method} ${path}`
  return [
    ...(refusals.includes(status) ? [] : [`${what} was answered with ${status}`]),
    ...(/^access-control-/im.test(head) ? [`${what} allows other origins`] : []),
    ...(status === 0 || /^content-type: application\/problem\+json/im.test(head)
      ? []
      : [`${what} is refused without a problem`]),
  ]
}

/** Everything, against a daemon of its own. */
export async function attackDaemon(): Promise<Attacked> {
  const stage = await openStage()
  try {
    const { routes, problems } = await findRoutes(stage.daemon)
    const before = await stage.fingerprint()
    const target = await toTarget(stage)
    const attacked = await attackAll(target, routes, stage)
    const after = await stage.fingerprint()
    return {
      made: attacked.made,
      routes: routes.length,
      problems: [
        ...problems,
        ...attacked.problems,
        ...(before === after ? [] : ['the record was changed']),
        ...(await control({ ...stage.daemon, token: target.token }, stage)),
      ],
    }
  } finally {
    await stage.close()
  }
}

/** The token is replaced, so that there is an old one. */
async function toTarget({ daemon }: Stage): Promise<Target> {
  const at = new URL('../../dist/daemon/token-file.js', import.meta.url).href
  const { rotateToken } = (await import(at)) as typeof import('../src/daemon/token-file.ts')
  const { port, readToken, token: oldToken } = daemon
  const token = rotateToken(daemon.state)
  return { port, token, readToken, oldToken, otherToken: 'o'.repeat(43) }
}

/** Whoever may, is let in: the daemon still works, and what was tried would have worked. */
async function control(
  { address, token }: DaemonProcess,
  { file, fingerprint }: Stage,
): Promise<readonly string[]> {
  const before = await fingerprint()
  const response = await fetch(`${address}/runs`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ file, attended: true }),
  })
  const text = await response.text()
  if (response.status !== 201) return [`the owner was answered with ${response.status}: ${text}`]
  return (await fingerprint()) === before ? ['a new run does not change the record'] : []
}
