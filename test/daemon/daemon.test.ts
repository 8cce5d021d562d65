import { describe, expect, test } from 'vitest'
import { startDaemon } from './start-daemon.ts'

describe('a daemon as a process', () => {
  test('answers with a token, and ends in good order when it is told to', async () => {
    const daemon = await startDaemon()
    expect((await daemon.ask('GET', '/health')).json()).toEqual({ status: 'ok' })
    expect((await daemon.ask('GET', '/ready')).status).toBe(200)
    expect((await fetch(`${daemon.address}/health`)).status).toBe(401)
    expect(await daemon.stop()).toBe(0)
  })
})
