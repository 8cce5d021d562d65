/** Operations on the daemon itself: health, readiness, information, shutdown. */

import { z } from 'zod'
import { findAgents } from '../../launch/agents/find-agents.ts'
import { daemonInfoSchema, healthSchema, readinessSchema } from '../../protocol/api/index.ts'
import { readPackageVersion } from '../../system/package-version.ts'
import { json, type Operation, ok, operation } from './operation.ts'

const tag = 'daemon'

const health = operation({
  id: 'getHealth',
  method: 'get',
  path: '/health',
  tag,
  summary: 'Check that the daemon is alive.',
  responses: { 200: json('It is alive.', healthSchema) },
  async handle() {
    return ok({ status: 'ok' })
  },
})

const ready = operation({
  id: 'getReadiness',
  method: 'get',
  path: '/ready',
  tag,
  summary: 'Check that the daemon has restored its queue and accepts runs.',
  isLive: true,
  responses: {
    200: json('Ready.', readinessSchema),
    503: json('Starting or shutting down.', readinessSchema),
  },
  async handle(parts) {
    return parts.isReady()
      ? ok({ status: 'ready' })
      : { status: 503, value: { status: 'not-ready' } }
  },
})

const info = operation({
  id: 'getDaemon',
  method: 'get',
  path: '/daemon',
  tag,
  summary: 'Get the version, settings and queue length.',
  isLive: true,
  responses: { 200: json('The daemon.', daemonInfoSchema) },
  async handle({ host, scheduler, settings, startedAtMs, isReady }) {
    const { folder, hostname, port, tls } = settings
    const { maxConcurrentRuns, maxRunsPerWorkspace, queuePolicy } = settings
    const queue = await scheduler.queue()
    const driven = queue.filter(({ state }) => state === 'driven').length
    return ok({
      version: readPackageVersion(),
      pid: process.pid,
      startedAtMs,
      uptimeMs: Math.max(0, Date.now() - startedAtMs),
      isReady: isReady(),
      settings: {
        folder,
        hostname,
        port,
        tls: tls !== undefined,
        maxConcurrentRuns,
        maxRunsPerWorkspace,
        queuePolicy,
      },
      counts: { runs: await host.journal.countRuns(), driven, queued: queue.length - driven },
      agents: (await findAgents(host.folder)).map(({ kind: _kind, ...seen }) => seen),
    })
  },
})

const stoppingSchema = z.strictObject({ status: z.literal('stopping') })

const stop = operation({
  id: 'stopDaemon',
  method: 'post',
  path: '/daemon/stop',
  tag,
  summary: 'Shut down the daemon.',
  description:
    'Current steps finish within the grace time. The queue stays on disk; the next daemon continues it.',
  body: { schema: z.strictObject({}), example: {} },
  responses: { 202: json('Shutting down.', stoppingSchema) },
  async handle({ stop: end }) {
    // The response is sent before the listeners close.
    setImmediate(end)
    return { status: 202, value: { status: 'stopping' } }
  },
})

export const daemonOperations: readonly Operation[] = [health, ready, info, stop]
