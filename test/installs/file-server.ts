// A folder over HTTP on loopback, which may require credentials.

import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'

export interface FileServer {
  readonly url: string
  /** Paths that were answered with a file. */
  readonly served: readonly string[]
  /** Paths that were requested without the credentials. */
  readonly refused: readonly string[]
  close(): Promise<void>
}

/** `authorization`: the whole header. */
export async function openFileServer(folder: string, authorization?: string): Promise<FileServer> {
  const served: string[] = []
  const refused: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent((request.url ?? '').split('?')[0] ?? '')
    if (authorization !== undefined && request.headers.authorization !== authorization) {
      refused.push(path)
      response.writeHead(401, { 'www-authenticate': 'Basic realm="t"' }).end()
      return
    }
    const named = join(folder, path)
    const file = path.endsWith('/') ? join(named, 'index.html') : named
    if (path.includes('..') || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end()
      return
    }
    served.push(path)
    const types: Record<string, string> = { '.html': 'text/html', '.json': 'application/json' }
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    served,
    refused,
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
