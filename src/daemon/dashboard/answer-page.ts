/** Answers the requests that need no token: files of the dashboard, and the exchange of a code for the token of a tab. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Refusal, refuse, sendRefusal } from '../refusal.ts'
import type { PageRequest } from './guard-page.ts'
import type { Dashboard } from './open-dashboard.ts'
import { type PageFiles, pageRoot } from './page-files.ts'

export interface PageAnswers {
  readonly files: PageFiles
  readonly dashboard: Dashboard
  onRefused(request: IncomingMessage, refusal: Refusal): void
}

/**
 * No script but our own files runs, no text becomes HTML, and no page may frame this one. Styles are set by scripts, on
 * single elements, which this allows.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const pageHeaders = {
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}

export async function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  asked: PageRequest,
  answers: PageAnswers,
): Promise<void> {
  if (asked.type === 'exchange') return exchange(request, response, answers)
  request.resume()
  if (asked.type === 'redirect') {
    response.writeHead(302, { location: pageRoot, 'content-length': 0 }).end()
    return
  }
  const file = answers.files(asked.path)
  if (file === undefined) {
    const text = 'The dashboard has no such file. If it was not built, run: npm run build\n'
    const headers = { 'content-type': 'text/plain; charset=utf-8' }
    response.writeHead(404, { ...headers, 'content-length': Buffer.byteLength(text) })
    response.end(request.method === 'HEAD' ? undefined : text)
    return
  }
  const isPage = asked.path.endsWith('.html')
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': file.content.length,
    // The names of the other files change with their content.
    ...(isPage ? pageHeaders : { 'cache-control': 'private, max-age=31536000, immutable' }),
  })
  response.end(request.method === 'HEAD' ? undefined : file.content)
}

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { dashboard, onRefused }: PageAnswers,
): Promise<void> {
  const code = await readCode(request)
  const session = code === undefined ? undefined : dashboard.exchange(code)
  if (session === undefined) {
    const refusal = refuse(
      'no-token',
      'This link was used before, or is too old. Get another one: loopctl dashboard',
    )
    onRefused(request, refusal)
    sendRefusal(response, refusal)
    return
  }
  const body = JSON.stringify(session)
  const headers = { 'content-type': 'application/json' }
  response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Undefined: the body is not a code. Its length was checked before. */
async function readCode(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = []
  try {
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
    const body = JSON.parse(Buffer.concat(parts).toString('utf8')) as { readonly code?: unknown }
    return typeof body?.code === 'string' ? body.code : undefined
  } catch {
    return undefined
  }
}
