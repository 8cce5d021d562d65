/** The variables that point provider clients, and the agents built on them, at a session. */

/** The environment variables that lead an agent program to a session. */
export function agentEnvironment(url: string, token: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: token,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: token,
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: token,
    // Otherwise some clients would send loopback requests through a proxy.
    NO_PROXY: '127.0.0.1,localhost',
    no_proxy: '127.0.0.1,localhost',
  }
}
