/** Runs with reports of rounds, and receivers on this machine. */

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { deliverReports } from '../src/launch/deliver/deliver-reports.ts'
import { readDeliveries, writeSinks } from '../src/launch/deliver/delivery-facts.ts'
import type { Json, RunEvent, StepId } from '../src/loop/index.ts'
import type { DeliverySink } from '../src/protocol/index.ts'
import type { RoundOutcome, RoundReport } from '../src/protocol/round/round-report.ts'
import { createMemoryStore } from '../src/testing/index.ts'
import { memoryBlobs } from '../src/testing/memory-blobs.ts'
import { writeRun } from '../src/testing/write-run.ts'

export const report = (outcome: RoundOutcome, warnings: readonly string[] = []): RoundReport => ({
  loop: 'triage',
  intent: 'look <!channel>',
  level: 1,
  run: 'triage-1',
  outcome,
  maker: { status: 'done', iterations: 1, text: 'found\u001b[2J a thing\n.\nBcc: x@evil.example' },
  verified: { type: 'checker' },
  inputTokens: 1,
  outputTokens: 2,
  filesChanged: [],
  recalled: [],
  warnings,
  startedAtMs: 1,
  endedAtMs: 2,
})

export const reported = report({ type: 'reported' })

const finished = (step: string, value: RoundReport): RunEvent => ({
  type: 'step-finished',
  iteration: 1,
  step: step as StepId,
  attempt: 1,
  kind: 'step',
  role: 'round-report',
  result: { value: value as unknown as Json },
})

/** The state folder and the clock of one test. */
export const scene = { folder: '', nowMs: 0 }

/** Call before each test. */
export function resetScene(): void {
  const folder = mkdtempSync(join(tmpdir(), 'loopwright-deliver-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  Object.assign(scene, { folder, nowMs: 1_000_000 })
}

export async function open(
  sinks: readonly DeliverySink[],
  reports: readonly RoundReport[] = [reported],
  environment: Readonly<Record<string, string>> = {},
) {
  const journal = createMemoryStore()
  const written = await writeRun(journal)
  await writeSinks(journal, written.run, sinks, 1)
  const add = (one: RoundReport, at: number) => written.write(finished(`report#${at}`, one))
  await written.write({ type: 'iteration-started', iteration: 1 })
  for (const [at, one] of reports.entries()) await add(one, at + 1)
  const printed: string[] = []
  const failed: string[] = []
  const parts = {
    folder: scene.folder,
    journal,
    blobs: memoryBlobs(),
    environment,
    operator: environment,
    print: (text: string) => void printed.push(text),
    now: () => scene.nowMs,
    signal: new AbortController().signal,
    onFailed: ({ error = '' }: { readonly error?: string }) => void failed.push(error),
  }
  return {
    journal,
    printed,
    failed,
    add,
    deliver: () => deliverReports(parts, written.run),
    known: async () => (await readDeliveries(journal, written.run)).deliveries,
  }
}

export interface Received {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** Answers with these statuses, the last one again and again. */
export async function listen(...answers: readonly ((response: ServerResponse) => void)[]) {
  const received: Received[] = []
  const read = async (request: IncomingMessage): Promise<string> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  }
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const headers = request.headers as Record<string, string>
      received.push({ path: request.url ?? '', headers, body })
      const answer = answers[Math.min(received.length, answers.length) - 1]
      if (answer === undefined) response.writeHead(204).end()
      else answer(response)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received }
}

export const answer = (status: number) => (response: ServerResponse) =>
  void response.writeHead(status).end('no')
