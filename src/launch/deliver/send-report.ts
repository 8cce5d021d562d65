/**
 * Sends a report to one receiver.
 *
 * 1. Requests go only to addresses that the operator allows: webhooks below LOOPWRIGHT_WEBHOOKS, Slack below the address in the
 *    variable that the loop file names. A redirect is refused, wherever it leads. Answers are limited in size and time.
 * 2. Secrets come from environment variables, and appear in no error.
 * 3. The mail command comes from the environment of this process only, never from a caller or a repository.
 */

import { randomUUID } from 'node:crypto'
import { link, realpath, rm, writeFile } from 'node:fs/promises'
import { isAbsolute, join, relative } from 'node:path'
import { requireAllowed } from '../../authority/index.ts'
import { FaultError, textOf } from '../../loop/index.ts'
import type { DeliverySink } from '../../protocol/index.ts'
import type { Environment } from '../../system/environment.ts'
import { makeFolder } from '../../system/index.ts'
import { runProgram } from '../../workspace/index.ts'
import { webhooksVariable } from '../needed-variables.ts'
import { type ReportMessage, toMail, toSlack } from './report-message.ts'

export interface SendPorts {
  /** The state folder. */
  readonly folder: string
  /** Of the run, or of this process. */
  readonly environment: Environment
  /** Of this process. */
  readonly operator: Environment
  readonly print: (text: string) => void
  readonly fetch?: typeof fetch
}

/** The delivery failed. `isFinal`: another try would fail in the same way. */
export class DeliveryError extends Error {
  readonly isFinal: boolean
  constructor(message: string, isFinal: boolean) {
    super(message)
    this.name = 'DeliveryError'
    this.isFinal = isFinal
  }
}

export const mailCommandVariable = 'LOOPWRIGHT_MAIL_COMMAND'
export const mailToVariable = 'LOOPWRIGHT_MAIL_TO'

const slackTimeoutMs = 30_000
const mailTimeoutMs = 60_000
const answerBytesMax = 64 * 1024

/** Rejects with `DeliveryError`. */
export async function sendReport(
  ports: SendPorts,
  sink: DeliverySink,
  message: ReportMessage,
  signal: AbortSignal,
): Promise<void> {
  switch (sink.type) {
    case 'stdout':
      return ports.print(message.text)
    case 'file':
      return writeReport(ports, sink.folder, message)
    case 'webhook':
      return sendWebhook(ports, sink, message, signal)
    case 'slack':
      return sendSlack(ports, sink.urlEnv, message, signal)
    case 'email':
      return sendMail(ports, sink.to, message, signal)
  }
}

/** Complete or absent. A file with this name is the same report. */
async function writeReport(
  { folder: state }: SendPorts,
  inner: string,
  { id, text, atMs, report: { run } }: ReportMessage,
): Promise<void> {
  const root = join(state, 'reports')
  const folder = join(root, inner)
  const day = new Date(atMs).toISOString().slice(0, 19).replaceAll(':', '-')
  const name = `${day}-${run.replaceAll(/[^\w-]/g, '-')}-${id.slice(-8)}.md`
  try {
    makeFolder(folder)
    const within = relative(await realpath(root), await realpath(folder))
    if (within.startsWith('..') || isAbsolute(within)) {
      throw new DeliveryError(`${folder} leads out of ${root}. Remove the link.`, true)
    }
    const temporary = join(folder, `.${randomUUID()}`)
    try {
      // A full disk can leave a part of it.
      await writeFile(temporary, text, { mode: 0o600, flag: 'wx' })
      await link(temporary, join(folder, name)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
    } finally {
      await rm(temporary, { force: true })
    }
  } catch (error) {
    if (error instanceof DeliveryError) throw error
    throw new DeliveryError(`The report could not be written to ${folder}: ${textOf(error)}`, false)
  }
}

async function sendWebhook(
  ports: SendPorts,
  { url, secretEnv, timeoutMs }: Extract<DeliverySink, { type: 'webhook' }>,
  { id, text, atMs, report }: ReportMessage,
  signal: AbortSignal,
): Promise<void> {
  requireListed(url, ports.environment[webhooksVariable])
  const body = JSON.stringify({
    type: 'round.reported',
    timestamp: new Date(atMs).toISOString(),
    data: { id, text, report },
  })
  const now = new Date()
  const headers: Record<string, string> = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'idempotency-key': id,
  }
  if (secretEnv !== undefined) {
    headers['webhook-signature'] = await sign(ports.environment, secretEnv, { id, now, body })
  }
  await post(ports, { url, shown: url, headers, body, timeoutMs }, signal)
}

async function sign(
  environment: Environment,
  name: string,
  { id, now, body }: { readonly id: string; readonly now: Date; readonly body: string },
): Promise<string> {
  const secret = requireVariable(environment, name)
  const { Webhook } = await import('standardwebhooks')
  try {
    return new Webhook(secret).sign(id, now, body)
  } catch {
    // Its message could have parts of the secret.
    throw new DeliveryError(`${name} is not a secret of Standard Webhooks (whsec_…).`, true)
  }
}

async function sendSlack(
  ports: SendPorts,
  urlEnv: string,
  message: ReportMessage,
  signal: AbortSignal,
): Promise<void> {
  const url = requireVariable(ports.environment, urlEnv)
  const shown = `the address in ${urlEnv}`
  try {
    // The operator set the variable: the address itself is the list.
    requireAllowed(url, url)
  } catch {
    throw new DeliveryError(`${shown} is not an https address.`, true)
  }
  const body = JSON.stringify(toSlack(message))
  await post(ports, { url, shown, headers: {}, body, timeoutMs: slackTimeoutMs }, signal)
}

interface Post {
  readonly url: string
  /** For messages: an address may be a secret. */
  readonly shown: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly timeoutMs: number
}

async function post(
  { fetch: request = fetch }: SendPorts,
  { url, shown, headers, body, timeoutMs }: Post,
  signal: AbortSignal,
): Promise<void> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const answer = await request(url, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/json', 'user-agent': 'loopwright', ...headers },
    body,
    signal: within,
  }).catch((error: unknown) => {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer'
    const why = within.aborted ? `no answer within ${timeoutMs} ms` : code
    throw new DeliveryError(`${shown} could not be reached (${why}).`, false)
  })
  await discard(answer)
  const { status } = answer
  if (status >= 200 && status < 300) return
  if (status >= 300 && status < 400) {
    throw new DeliveryError(`${shown} redirects, which is refused (${status}).`, true)
  }
  const isFinal = status >= 400 && status < 500 && ![408, 425, 429].includes(status)
  throw new DeliveryError(`${shown} refused the report (${status}).`, isFinal)
}

/** An answer is not needed, and may be endless. */
async function discard({ body }: Response): Promise<void> {
  if (body === null) return
  const reader = body.getReader()
  let bytes = 0
  try {
    while (bytes < answerBytesMax) {
      const { done, value } = await reader.read()
      if (done) return
      bytes += value.byteLength
    }
  } catch {
    return
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

async function sendMail(
  { operator }: SendPorts,
  to: string,
  message: ReportMessage,
  signal: AbortSignal,
): Promise<void> {
  const command = requireVariable(operator, mailCommandVariable)
  if (!isAllowedRecipient(to, operator[mailToVariable])) {
    throw new DeliveryError(`${to} is not allowed. Add it to ${mailToVariable}.`, true)
  }
  const passed = ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG']
  const env = passed.flatMap((name) => {
    const value = operator[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const program = {
    name: 'the mail command',
    program: '/bin/sh',
    args: ['-c', command],
    env: { ...Object.fromEntries(env), LOOPWRIGHT_REPORT_ID: message.id },
  }
  const input = Buffer.from(toMail(message, to), 'utf8')
  const limits = { timeoutMs: mailTimeoutMs, outputBytesMax: answerBytesMax, signal }
  await runProgram(program, { input, ...limits }).catch((error: unknown) => {
    throw new DeliveryError(`The mail command failed: ${textOf(error).slice(0, 500)}`, false)
  })
}

/** Addresses, or domains as `@example.com`, separated by spaces or commas. */
function isAllowedRecipient(to: string, allowed: string | undefined): boolean {
  const address = to.toLowerCase()
  return (allowed ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((one) => one !== '')
    .some((one) => (one.startsWith('@') ? address.endsWith(one) : address === one))
}

function requireVariable(environment: Environment, name: string): string {
  const value = environment[name]
  if (value !== undefined && value !== '') return value
  throw new DeliveryError(
    `${name} is not set. Set it where the run, or the daemon, is started.`,
    false,
  )
}

function requireListed(url: string, allowed: string | undefined): void {
  try {
    requireAllowed(url, allowed)
  } catch (error) {
    throw new DeliveryError(error instanceof FaultError ? error.fault.message : textOf(error), true)
  }
}
