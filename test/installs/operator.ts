// What the operator has: credentials in every file and variable that package managers know.

import type { Files, Scene } from './attack.ts'

export function homeFiles({ registry, canary }: Scene, npmrc = ''): Files {
  const host = registry.replace(/^http:/, '')
  const address = registry.replace('://', `://operator:${canary}@`)
  return {
    '.npmrc': `registry=${registry}\n${host}:_authToken=${canary}\n//registry.example/:_authToken=${canary}\n${npmrc}\n`,
    '.yarnrc.yml': `npmRegistryServer: "${registry}"\nnpmAuthToken: ${canary}\n`,
    '.bunfig.toml': `[install]\nregistry = { url = "${registry}", token = "${canary}" }\n`,
    '.netrc': `machine 127.0.0.1 login operator password ${canary}\n`,
    '.git-credentials': `https://operator:${canary}@example.com\n`,
    '.config/pip/pip.conf': `[global]\nindex-url = ${address}simple/\n`,
    '.config/pypoetry/auth.toml': `[http-basic.private]\nusername = "operator"\npassword = "${canary}"\n`,
    '.cargo/config.toml': `[source.crates-io]\nreplace-with = "operator"\n[source.operator]\nregistry = "sparse+${address}crates/"\n`,
    '.cargo/credentials.toml': `[registry]\ntoken = "${canary}"\n`,
  }
}

export const operatorVariables = ({ registry, canary }: Scene): Record<string, string> => ({
  NPM_TOKEN: canary,
  NODE_AUTH_TOKEN: canary,
  YARN_NPM_AUTH_TOKEN: canary,
  BUN_CONFIG_TOKEN: canary,
  CARGO_REGISTRY_TOKEN: canary,
  POETRY_HTTP_BASIC_PRIVATE_PASSWORD: canary,
  UV_INDEX_PRIVATE_PASSWORD: canary,
  GITHUB_TOKEN: canary,
  GOPROXY: `${registry.replace('://', `://operator:${canary}@`)}go`,
})
