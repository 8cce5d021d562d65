import { expect, test } from 'vitest'
import { serversOf } from './mcp-servers.ts'

test('a server that is reached over HTTP is not part of a replay, wherever it is', () => {
  const servers = { web: { type: 'http', url: 'http://127.0.0.1:1/mcp', headers: {} } } as const
  expect(() => serversOf(servers, {}, [], true)).toThrow(/"web".*cannot be replayed/)
  expect(serversOf(servers, {}, [], false)).toMatchObject({ web: { url: servers.web.url } })
})
