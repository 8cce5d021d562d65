/**
 * Settings of npm that a tree brings, without those that would start programs or put files elsewhere: what
 * says where packages come from, how they are laid out, and who asks for them.
 */

const allowed =
  /^(?:(?:@[^:=\s]+:)?registry|\/\/[^=]+:(?:_authToken|_auth|username|_password|email|always-auth|cafile)|always-auth|legacy-peer-deps|strict-peer-deps|install-strategy|legacy-bundling|global-style|hoist|hoist-pattern(?:\[\])?|public-hoist-pattern(?:\[\])?|shamefully-hoist|node-linker|auto-install-peers|strict-peer-dependencies|omit|include|optional|prefer-offline|strict-ssl|fetch-retries|maxsockets)\s*=/

export function safeNpmrc(content: Uint8Array): string {
  const lines = Buffer.from(content).toString('utf8').split(/\r?\n/)
  return `${lines.filter((line) => allowed.test(line.trim())).join('\n')}\n`
}
