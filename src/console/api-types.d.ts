// Made by `npm run console:types` of the OpenAPI document f9c21da7f8af7c3d69a5cc5d3b79ee69f66cea63754b6782f93e313a74c57e04
export interface paths {
  "/v1/route": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Explain which model would answer; nobody is called and nothing is charged
     * @description Takes the params of `sampling/createMessage`. Without a session all modalities and tools count as declared.
     */
    post: operations["routeSampling"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/sampling": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Send one JSON-RPC message of MCP: ask a model of the tenant
     * @description Streamable HTTP. In 2026-07-28 one request stands alone: send `MCP-Protocol-Version`, `Mcp-Method`, and the `_meta` of that revision. Before it, `initialize` begins a session. The method is `sampling-router/createMessage`; `sampling/createMessage` means the same.
     */
    post: operations["sample"];
    /**
     * End the session that the header names
     * @description For the legacy revisions. Calls of the session that run are finished.
     */
    delete: operations["endSamplingSession"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/v1/sampling/{tenant}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * The same for one tenant, with an API key or an access token
     * @description Streamable HTTP. In 2026-07-28 one request stands alone: send `MCP-Protocol-Version`, `Mcp-Method`, and the `_meta` of that revision. Before it, `initialize` begins a session. The method is `sampling-router/createMessage`; `sampling/createMessage` means the same.
     */
    post: operations["sampleOfTenant"];
    /**
     * End the session that the header names
     * @description For the legacy revisions. Calls of the session that run are finished.
     */
    delete: operations["endSamplingSessionOfTenant"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/console/session": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Who is signed in
     * @description The session of the request's cookie, as the sign-in answered.
     */
    get: operations["readConsoleSession"];
    put?: never;
    /**
     * Exchange a key for a session of the console, kept in a cookie
     * @description The admin API takes the cookie in place of Authorization. A session ends after 12 hours, when its key ends, is revoked or rotated, and when `ADMIN_TOKEN` changes. Failed sign-ins are slowed down. Over plain http only the own machine may sign in.
     */
    post: operations["signIn"];
    /**
     * End the session
     * @description The cookie is good for nothing afterwards, wherever a copy of it is.
     */
    delete: operations["signOut"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List tenants, newest first
     * @description The operator sees every tenant, a key its own. Policies and versions are read one by one.
     */
    get: operations["listTenants"];
    put?: never;
    /**
     * Create a tenant (operator)
     * @description `slug` names the tenant in every path. For the operator.
     */
    post: operations["createTenant"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a tenant
     * @description The tenant with its policy. `version` rises with each change of anything that the tenant owns.
     */
    get: operations["readTenant"];
    put?: never;
    post?: never;
    /**
     * Delete a tenant and all it owns, audit records included (operator)
     * @description Nothing of the tenant can be restored; the log of admin actions keeps its events. For the operator.
     */
    delete: operations["deleteTenant"];
    options?: never;
    head?: never;
    /**
     * Rename a tenant
     * @description Changes the name that people read. The slug stays, and so does where the tenant's data lives.
     */
    patch: operations["renameTenant"];
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/policy": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the policy
     * @description What was put last. An absent member means the default.
     */
    get: operations["readPolicy"];
    /**
     * Replace the policy
     * @description The body becomes the whole policy: what it leaves out goes back to its default. A limit above the operator's ceiling is refused.
     */
    put: operations["replacePolicy"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change parts of the policy
     * @description A JSON merge patch (RFC 7396): what the body names changes, null takes a member away, and the rest stays. Lists are replaced as a whole. Takes `application/merge-patch+json` too.
     */
    patch: operations["changePolicy"];
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/ceiling": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read the ceiling (operator)
     * @description What was put last; no limits before that. An older tenant has leave for the providers of the operator's that it has credentials of. For the operator.
     */
    get: operations["readCeiling"];
    /**
     * Replace the ceiling: what the tenant's policy can only narrow (operator)
     * @description The body becomes the whole ceiling, from the next request on. Of each limit the smaller one holds, the ceiling's or the policy's; a refusal names it `ceiling.<limit>` where it is the ceiling's. For the operator.
     */
    put: operations["replaceCeiling"];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/policy/dry-run": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say what a policy would change of the last 100 decisions
     * @description Makes the newest decisions again from today's figures, with the present policy and with the one in the body, and compares the two. It calls no provider and writes nothing. Left out: what limits had left then, rules of content negotiation, tool rounds, approvals, failover and prompt caching; `notReplayed` names those that differ. Open circuits do not count.
     */
    post: operations["tryPolicy"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/sign-in": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read by which identity provider people sign in
     * @description The settings, without the client's secret.
     */
    get: operations["readSignIn"];
    /**
     * Set by which identity provider people sign in
     * @description People whom it vouches for get the role that their claims give, in the console, for 12 hours. Each change ends the sessions of all people of the tenant. A key that expires sets none.
     */
    put: operations["replaceSignIn"];
    post?: never;
    /**
     * Let nobody sign in by an identity provider
     * @description Ends the sessions of all people of the tenant. Keys stay.
     */
    delete: operations["removeSignIn"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/keys": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List API keys, revoked ones included, newest first
     * @description Keys without their secrets; a revoked key stays in the list with the time of its revocation.
     */
    get: operations["listKeys"];
    put?: never;
    /**
     * Create an API key; it is shown this once
     * @description The answer holds the API key. The router keeps a hash alone, so the key can not be shown again. A key that expires makes keys that expire no later: at its own end unless `expiresAt` is earlier.
     */
    post: operations["createKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/keys/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an API key, without its secret
     * @description Name, scopes, limits and end of the key, and when it was revoked.
     */
    get: operations["readKey"];
    put?: never;
    post?: never;
    /**
     * Revoke an API key, at once
     * @description Requests that come with the key are refused from now on. A revoked key stays revoked.
     */
    delete: operations["revokeKey"];
    options?: never;
    head?: never;
    /**
     * Change an API key's name, limits or end, from the next request on
     * @description A JSON merge patch (RFC 7396): what the body names changes, null takes a limit away, or the end. The secret and the scopes stay. A key that expires changes none that expires later, and sets no later end.
     */
    patch: operations["changeKey"];
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/keys/{id}/rotate": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Replace an API key's secret; the old one stops at once
     * @description The id, the scopes, the limits and the end stay; the answer holds the new secret. A key that expires rotates none that expires later.
     */
    post: operations["rotateKey"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/credentials": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List credentials, newest first
     * @description The tenant's credentials without their keys. `failing` means that the provider refused the key.
     */
    get: operations["listCredentials"];
    put?: never;
    /**
     * Hold a provider's key for the tenant; it never comes back
     * @description Stores the key of a provider, sealed. No endpoint gives the key back. A provider that the catalogue does not know needs `baseUrl`, and `models` that say what it serves.
     */
    post: operations["createCredential"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/credentials/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a credential, without its key
     * @description The credential as the list shows it.
     */
    get: operations["readCredential"];
    put?: never;
    post?: never;
    /**
     * Forget a credential
     * @description Removes the credential and its sealed key. Calls that begin afterwards do not use the credential.
     */
    delete: operations["deleteCredential"];
    options?: never;
    head?: never;
    /**
     * Change a credential; a new key makes a failing one active
     * @description Changes what the body names and nothing else. A `baseUrl` of another origin needs `apiKey` again. Where the stored key can't be opened, a new one needs `baseUrl` too. A new key makes a failing credential active.
     */
    patch: operations["updateCredential"];
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/credentials/{id}/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try a credential with the cheapest real call
     * @description Sends one word to the cheapest text model that the credential serves, and asks the provider which models it lists. The call may cost a fraction of a cent. A failing credential whose call is answered becomes active.
     */
    post: operations["checkCredential"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/models": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The catalogue as this tenant sees it, by name
     * @description Every model of the catalogue with the tenant's overrides, where each figure came from, and whether the model can be chosen now.
     */
    get: operations["listModels"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/models/{provider}/{model}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Override a model of the catalogue, or define one
     * @description Replaces the tenant's override of one model. A model that the catalogue does not have is defined by it. Figures that the body leaves out stay as the catalogue has them.
     */
    put: operations["putModel"];
    post?: never;
    /**
     * Take an override back
     * @description The model is what the catalogue says again. A model that only the override defined is gone.
     */
    delete: operations["deleteModel"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/servers": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List registered servers, newest first
     * @description Registered servers. Header values and client secrets are in no answer.
     */
    get: operations["listServers"];
    put?: never;
    /**
     * Register an MCP server for the proxy
     * @description Clients then reach the server at `/mcp/{tenant}/{server}`. `sampling` says who answers what the server samples.
     */
    post: operations["createServer"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/servers/{server}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One registered server
     * @description The entry, and what the router has learnt about the server by talking to it.
     */
    get: operations["readServer"];
    put?: never;
    post?: never;
    /**
     * Forget a server, its secrets and its tokens
     * @description Removes the entry, its sealed secrets and its tokens. Clients are answered 404 from then on.
     */
    delete: operations["deleteServer"];
    options?: never;
    head?: never;
    /**
     * Change a server; a new host needs its secrets given anew
     * @description Changes what the body names. `headers`, `policy` and `oauth` are replaced as a whole. A URL of another origin, and other OAuth endpoints, need the secrets anew, and granted tokens go. Where the stored ones can't be opened, new ones need `url` too.
     */
    patch: operations["updateServer"];
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/servers/{server}/authorize": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Begin OAuth by authorization code: where a person has to go, once
     * @description Begins OAuth by authorization code. A person opens `authorizationUrl` within ten minutes, and comes back to `/oauth/callback`.
     */
    post: operations["authorizeServer"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/servers/{server}/check": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Try whether an MCP server is there and lets the router in
     * @description Speaks MCP with the server as a client would: discovers or initializes, and lists the tools. `detail` says in words what was found, or what is wrong. A server that speaks another family of revisions than the router remembers is remembered by the new one.
     */
    post: operations["checkServer"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/servers/{server}/install": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What to paste into MCP clients, so that they reach the server
     * @description A text for each client, and for VS Code and Cursor an address that adds the server. No key is in any of them: the texts name an environment variable, or have the client ask.
     */
    get: operations["readServerInstall"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/approvals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List held calls, newest first
     * @description Without contents. `state=waiting` lists those that somebody has to decide.
     */
    get: operations["listApprovals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/approvals/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read a held call, with what is to be approved
     * @description `id` is the id of the request. `shown` is a hash of `content`; a decision names it.
     */
    get: operations["readApproval"];
    put?: never;
    /**
     * Approve or deny a held call
     * @description Once: a second decision is 409 `conflict`, and so is one after the deadline or of something else than was shown. The key that asks can't decide its own request.
     */
    post: operations["decideApproval"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/alerts": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List alerts, newest first
     * @description Budgets beyond a share of theirs, and trouble that lasts; each once a period, found within a minute. Alerts are listed until 90 days after their period.
     */
    get: operations["listAlerts"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/grants": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List what people allowed programs, newest first
     * @description Grants that stand. Empty where OAuth is off. The newest 1,000 are listed.
     */
    get: operations["listGrants"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/grants/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End a grant and its tokens
     * @description Access tokens open nothing within five seconds, and refresh tokens give none. The API key that the program acted as goes on.
     */
    delete: operations["revokeGrant"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/users": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List people on whose behalf programs call
     * @description In the order of their ids, which say nothing of when they came.
     */
    get: operations["listUsers"];
    put?: never;
    /**
     * Find a person by what an identity provider says, or make one
     * @description The same person gives the same id each time. The router keeps hashes alone of issuer and subject. Name the id in `userId` of a new API key, and the key's calls are the person's.
     */
    post: operations["createUser"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/users/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * Forget a person
     * @description Removes the name and the key of the hash that the id is, revokes the person's API keys, ends their grants and sessions. Records keep the id, which leads to nobody any more, so seals still verify.
     */
    delete: operations["forgetUser"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/webhooks": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List messages to webhooks, those of the newest calls first
     * @description What was sent of held calls and alerts, and what became of each message. A message that was delivered, or given up, is listed for 7 days.
     */
    get: operations["listWebhooks"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/webhooks/secret": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a new secret that signs messages; it is shown this once
     * @description For 24 hours messages have two signatures: by the new secret, and by the one before it.
     */
    post: operations["rotateWebhookSecret"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/seals": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List seals of audit records, newest first
     * @description The tenant's chain of signed seals. Each one covers the records that ended since the seal before.
     */
    get: operations["listSeals"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests/export": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Export finished audit records, sealed; X-Next-Cursor, if any, is the cursor of the next part
     * @description Streams sealed records in the order of the chain, with what `npm run audit -- verify` needs. A part has 32,768 records at most; the header `X-Next-Cursor`, if there is one, is the `cursor` of the next part.
     */
    get: operations["exportRequests"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests/stream": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Follow audit records as they begin and end, as server-sent events
     * @description Events `begun` and `ended` carry a record as the list shows it; a record may come twice. `ready` says that the stream stands. `reset`: more happened than is told one by one, so read the list again. `closed`: the key, the session or the role is lost, which is looked at every 10 seconds; the stream then ends. A comment comes after 25 silent seconds. With `Last-Event-ID`, what was missed comes first. At most 64 listeners a tenant, in a process or a Durable Object.
     */
    get: operations["streamRequests"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/sessions": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List sessions with the capabilities they negotiated, newest first
     * @description Sessions of the legacy revisions, with the capabilities that each client declared, raw.
     */
    get: operations["listSessions"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/sessions/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /**
     * End a session
     * @description Later requests of the session are answered 404, and its client has to begin again.
     */
    delete: operations["endSession"];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List audit records, newest first
     * @description One record per sampling request, refused ones included. Of refusals by a rate limit the first hundred a minute of a key; `thinned` counts the others. `from` is inclusive and `to` is exclusive; all filters have to match. A page of a filtered list looks at 100,000 records: it may have fewer than `limit`, or none, and a `nextCursor` that goes on.
     */
    get: operations["listRequests"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests/{id}": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Read an audit record, its content too where the policy captured it
     * @description The record, the captured content where the policy keeps it, and what the providers said of failed attempts where `providerMessages` keeps that.
     */
    get: operations["readRequest"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests/{id}/replay": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Make a recorded decision again, and say whether it is the same
     * @description Chooses again from what was recorded, calls no provider and charges nothing. The answer names the figures that have changed since.
     */
    post: operations["replayRequest"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/requests/{id}/correct": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Say what became of a call of unknown outcome; budgets and usage follow (operator)
     * @description Settles a request whose outcome is `unknown`, once, with a reason. Budgets and usage follow, and the event log has before and after. For the operator.
     */
    post: operations["correctRequest"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The log of admin actions on one tenant, newest first
     * @description Every change of the tenant that was made over the admin API: who, what, when. `names` has the names of the keys and servers that stand there by id.
     */
    get: operations["listTenantEvents"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/usage": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What was used, by the hour or the day in which requests came, oldest first
     * @description Requests by their outcomes, tokens, USD, and percentiles of how long calls took, per bucket and per model, key, person or server; `by=all` does not group. Without `from` and `to`: the last 24 hours by the hour, or 30 days by the day. At most 31 days by the hour and 366 by the day.
     */
    get: operations["readUsage"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/tenants/{tenant}/limits": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Every limit, what is used and reserved of it, and what is left
     * @description First the tenant's own limits and its ceiling's, and the room of its own database where that is bounded, then those of servers and of keys, newest first; revoked and expired keys are left out; then the groups, runs, tags and people of which something is counted. A page looks at so many of each kind; follow `nextCursor` for the others.
     */
    get: operations["readLimits"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/usage": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * What all tenants used, by the hour or the day (operator)
     * @description As a tenant's usage, for every tenant: `group` is the tenant's id, or the model with `by=model`. For the operator.
     */
    get: operations["readUsageOfAll"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/events": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * The log of admin actions, newest first: all for the operator, else one tenant's
     * @description Every change that was made over the admin API: who, what, when. The operator sees all tenants, a key its own.
     */
    get: operations["listEvents"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/catalogue": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Which catalogue is at hand, for the operator
     * @description The version in use, how many models it has, when it was synced last and when the next sync is due. For the operator.
     */
    get: operations["readCatalogue"];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  "/admin/v1/catalogue/sync": {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Sync with CATALOGUE_URL now, due or not, for the operator
     * @description Reads CATALOGUE_URL at once and takes the file if it passes the checks. The answer lists what was added, retired and repriced. For the operator.
     */
    post: operations["syncCatalogue"];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    RouteDecision: {
      provider: string;
      model: string;
      candidates: components["schemas"]["Candidate"][];
      /** @description How many more models were excluded, by reason, without being listed. */
      excluded: {
        [key: string]: number;
      };
      requirements: {
        inputModalities: ("text" | "image" | "audio")[];
        outputModalities: ("text" | "image" | "audio")[];
        tools: boolean;
        inputTokens: number;
        maxTokens: number;
      } & {
        [key: string]: unknown;
      };
      weights: {
        cost: number;
        speed: number;
        intelligence: number;
      };
      estimate: {
        inputTokens: number;
        outputTokens: number;
        costUsd: number | null;
      } & {
        [key: string]: unknown;
      };
      catalogueVersion: string;
      notes: string[];
    } & {
      [key: string]: unknown;
    };
    Candidate: {
      provider: string;
      model: string;
      /** @description 0 to 1; absent: the model is excluded. */
      score?: number;
      axes?: {
        cost: number;
        speed: number;
        intelligence: number;
      };
      matchedHint?: string;
      /** @enum {boolean} */
      viaEquivalence?: true;
      /** @enum {string} */
      excludedBy?:
        | "input_modality"
        | "output_modality"
        | "tools"
        | "context_window"
        | "output_limit"
        | "reasoning_room"
        | "not_allowed"
        | "unknown_price"
        | "no_credential"
        | "no_operator_leave"
        | "credential_failing"
        | "circuit_open"
        | "retired"
        | "preview"
        | "image_model"
        | "stopped"
        | "canned";
    } & {
      [key: string]: unknown;
    };
    /** @description RFC 9457. */
    Problem: {
      type: string;
      title: string;
      status: number;
      detail: string;
      /** @enum {string} */
      reason:
        | "user_rejected"
        | "approval_pending"
        | "invalid_params"
        | "capability_missing"
        | "no_eligible_model"
        | "rate_limited"
        | "budget_exceeded"
        | "forbidden"
        | "stopped"
        | "provider_failed"
        | "provider_timeout"
        | "server_unauthorized"
        | "authorization_needed"
        | "unavailable"
        | "cancelled"
        | "idempotency_conflict"
        | "internal"
        | "unreadable"
        | "server_failed"
        | "server_timeout"
        | "loop_detected"
        | "parse_error"
        | "invalid_request"
        | "method_not_found"
        | "header_mismatch"
        | "unsupported_protocol_version"
        | "bad_request"
        | "unauthorized"
        | "not_found"
        | "session_not_found"
        | "session_required"
        | "origin_not_allowed"
        | "method_not_allowed"
        | "not_acceptable"
        | "conflict"
        | "precondition_failed"
        | "payload_too_large"
        | "unsupported_media_type";
      /** @description The same request may succeed later. */
      retryable: boolean;
      requestId: string;
    };
    /**
     * @description The params of MCP's sampling/createMessage.
     * @example {
     *       "messages": [
     *         {
     *           "role": "user",
     *           "content": {
     *             "type": "text",
     *             "text": "Say hello."
     *           }
     *         }
     *       ],
     *       "maxTokens": 100
     *     }
     */
    SamplingParams: {
      messages: ({
        /** @enum {string} */
        role: "user" | "assistant";
        content: components["schemas"]["ContentBlock"] | components["schemas"]["ContentBlock"][];
      } & {
        [key: string]: unknown;
      })[];
      maxTokens: number;
      modelPreferences?: {
        hints?: ({
          name?: string;
        } & {
          [key: string]: unknown;
        })[];
        costPriority?: number;
        speedPriority?: number;
        intelligencePriority?: number;
      } & {
        [key: string]: unknown;
      };
      systemPrompt?: string;
      /** @enum {string} */
      includeContext?: "none" | "thisServer" | "allServers";
      temperature?: number;
      stopSequences?: string[];
      tools?: ({
        name: string;
      } & {
        [key: string]: unknown;
      })[];
      toolChoice?: {
        /** @enum {string} */
        mode?: "auto" | "required" | "none";
      } & {
        [key: string]: unknown;
      };
      metadata?: {
        [key: string]: unknown;
      };
      _meta?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    /**
     * @description A content block of MCP, such as a text.
     * @example {
     *       "type": "text",
     *       "text": "Say hello."
     *     }
     */
    ContentBlock: {
      /** @enum {string} */
      type: "text" | "image" | "audio" | "tool_use" | "tool_result";
    } & {
      [key: string]: unknown;
    };
    /** @description Has a result or an error. */
    RpcAnswer: {
      /** @enum {string} */
      jsonrpc: "2.0";
      id?: string | number;
      result?: components["schemas"]["RpcResult"];
      error?: components["schemas"]["RpcError"];
    };
    /** @description Of sampling; other methods answer as MCP says. */
    RpcResult: {
      /** @enum {string} */
      role?: "user" | "assistant";
      content?: components["schemas"]["ContentBlock"] | components["schemas"]["ContentBlock"][];
      model?: string;
      stopReason?: string;
      _meta?: {
        "sampling-router/decision"?: components["schemas"]["SamplingDecision"];
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    SamplingDecision: {
      requestId: string;
      provider: string;
      model: string;
      attempts: number;
      usage: {
        inputTokens: number;
        outputTokens: number;
      } & {
        [key: string]: unknown;
      };
      costUsd: number | null;
      timingMs: {
        [key: string]: number;
      };
    } & {
      [key: string]: unknown;
    };
    RpcError: {
      code: number;
      message: string;
      data: components["schemas"]["RefusalData"];
    };
    /** @description More members by reason, as docs/errors.md says. */
    RefusalData: {
      /** @enum {string} */
      reason:
        | "user_rejected"
        | "approval_pending"
        | "invalid_params"
        | "capability_missing"
        | "no_eligible_model"
        | "rate_limited"
        | "budget_exceeded"
        | "forbidden"
        | "stopped"
        | "provider_failed"
        | "provider_timeout"
        | "server_unauthorized"
        | "authorization_needed"
        | "unavailable"
        | "cancelled"
        | "idempotency_conflict"
        | "internal"
        | "unreadable"
        | "server_failed"
        | "server_timeout"
        | "loop_detected"
        | "parse_error"
        | "invalid_request"
        | "method_not_found"
        | "header_mismatch"
        | "unsupported_protocol_version"
        | "bad_request"
        | "unauthorized"
        | "not_found"
        | "session_not_found"
        | "session_required"
        | "origin_not_allowed"
        | "method_not_allowed"
        | "not_acceptable"
        | "conflict"
        | "precondition_failed"
        | "payload_too_large"
        | "unsupported_media_type";
      requestId: string;
      retryable: boolean;
    } & {
      [key: string]: unknown;
    };
    RpcMessage: {
      /** @enum {string} */
      jsonrpc: "2.0";
      /** @description Absent: a notification. */
      id?: string | number;
      /** @example sampling-router/createMessage */
      method: string;
      params?: {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    ConsoleSession: {
      /** @description To be sent as X-CSRF-Token with every change. */
      csrf: string;
      actor: {
        /** @enum {string} */
        kind: "operator" | "key" | "person";
        /** @enum {string} */
        role: "viewer" | "auditor" | "approver" | "admin";
        /**
         * @description Absent: every tenant.
         * @example acme
         */
        tenant?: string;
        /** @description Of the person, or of the key. */
        name?: string;
      };
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      expiresAt: number;
    };
    SignInInput: {
      /** @description The operator's token, or an API key with a role. */
      key: string;
    };
    Tenant: {
      id: string;
      /** @example acme */
      slug: string;
      name: string;
      version: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      policy: components["schemas"]["Policy"];
      /** @description Why the operator's kill switch is on; null: it is off. The tenant's own switches are `policy.stopped`. */
      stoppedByOperator: string | null;
      /**
       * @description Near where the tenant's database was made; null: nobody asked.
       * @enum {string|null}
       */
      region:
        | "wnam"
        | "enam"
        | "sam"
        | "weur"
        | "eeur"
        | "apac"
        | "apac-ne"
        | "apac-se"
        | "oc"
        | "afr"
        | "me"
        | null;
      /**
       * @description What the tenant's data never leaves; null: nobody asked.
       * @enum {string|null}
       */
      jurisdiction: "eu" | "us" | "fedramp" | "fedramp-high" | null;
    };
    Policy: {
      limits?: components["schemas"]["Limits"];
      /**
       * @description Of the days, weeks and months of all limits. Default: UTC.
       * @example Europe/Berlin
       */
      timeZone?: string;
      tags?: components["schemas"]["TagPolicy"];
      runs?: components["schemas"]["RunPolicy"];
      perUser?: components["schemas"]["Limits"] & unknown;
      oauthClients?: components["schemas"]["OauthClientPolicy"];
      groups?: components["schemas"]["GroupPolicy"];
      /** @description Larger limits for a time. The node's own limits hold again from `until` on. */
      raises?: components["schemas"]["Raise"][];
      /**
       * @description keep: the name that an identity provider says of a person is kept, until the person is forgotten. Default: none.
       * @enum {string}
       */
      userNames?: "none" | "keep";
      /** @description A larger maxTokens is lowered to this. */
      maxTokens?: number;
      /** @description How much models reason: the least that each can, whatever its provider does by itself, or the nearest effort that it takes. A call's metadata for a provider wins. Default: least. */
      reasoning?:
        | ("least" | "provider")
        | {
            /** @enum {string} */
            effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
          };
      /** @description Tokens that reasoning may use beside the visible text, which maxTokens bounds. Default: 16384. */
      reasoningTokens?: number;
      /** @description Globs over provider/model. Absent: everything. Empty: nothing. */
      allowedModels?: string[];
      deniedModels?: string[];
      /**
       * @description Whether requests and results are kept, sealed. Default: none.
       * @enum {string}
       */
      capture?: "none" | "full";
      /**
       * @description Whether keys, tokens and passwords found in captured text are masked. Default: mask.
       * @enum {string}
       */
      captureSecrets?: "mask" | "keep";
      /** @description Whether what a provider says of a failed call is kept, masked and sealed, for administrators. Default: true. */
      providerMessages?: boolean;
      /** @description Tool-use turns that a request's own history may hold. Default: 25. */
      toolRounds?: number;
      rules?: components["schemas"]["ShapingRule"][];
      /** @description Days until a finished, sealed audit record is deleted. Default: 90. */
      retentionDays?: number;
      /** @description Days until captured content is deleted. Default: with its record. */
      contentRetentionDays?: number;
      /**
       * @description What is deleted before its time where the tenant's own database is 85 % full, in this order: captured contents, kept results of idempotency keys, sealed records. What is left out is not deleted early. Default: contents, results, records.
       * @example [
       *       "results",
       *       "contents",
       *       "records"
       *     ]
       */
      earlyDeletion?: ("contents" | "results" | "records")[];
      /** @description Provider calls that one request may make, failover included. A reservation of money covers them all. Default: 4. */
      maxAttempts?: number;
      /**
       * @description When models that their provider calls preview, beta or experimental are chosen. hinted: if a hint names one, or no other model can serve. Default: hinted.
       * @enum {string}
       */
      previews?: "hinted" | "allowed" | "never";
      /** @description ms for all attempts of one call together. Default: 45000. */
      deadlineMs?: number;
      /**
       * @description Whether a prompt that is likely to repeat is marked for its provider's cache. Default: auto.
       * @enum {string}
       */
      promptCaching?: "auto" | "off";
      stopped?: components["schemas"]["Switches"];
      approval?: components["schemas"]["ApprovalRule"];
      alerts?: components["schemas"]["AlertRule"];
    };
    /** @description An absent limit is none. Those of a minute count any 60 seconds. Days, weeks (from Monday) and months are those of the policy's `timeZone`. */
    Limits: {
      requestsPerMinute?: number;
      requestsPerDay?: number;
      requestsPerWeek?: number;
      requestsPerMonth?: number;
      requestsTotal?: number;
      tokensPerMinute?: number;
      tokensPerDay?: number;
      tokensPerWeek?: number;
      tokensPerMonth?: number;
      tokensTotal?: number;
      concurrent?: number;
      /** @example 25 */
      usdPerMinute?: number;
      /** @example 25 */
      usdPerDay?: number;
      /** @example 25 */
      usdPerWeek?: number;
      /** @example 25 */
      usdPerMonth?: number;
      /** @example 25 */
      usdTotal?: number;
    };
    /** @description Of calls that name a tag, in `metadata["sampling-router/tag"]`. */
    TagPolicy: {
      required?: boolean;
      /** @description Absent: whatever tag is named. */
      allowed?: string[];
      each?: components["schemas"]["Limits"] & unknown;
      /** @description By tag. */
      limits?: {
        [key: string]: components["schemas"]["Limits"];
      };
    };
    /** @description Of calls that name a run, in `metadata["sampling-router/run"]`. A run ends a day after its last call. */
    RunPolicy: {
      required?: boolean;
      callsPerRun?: number;
      /** @example 25 */
      usdPerRun?: number;
      /** @description Runs that each key may begin in a day. Needs `callsPerRun`. */
      newRunsPerDay?: number;
    };
    /** @description Which programs people may connect by OAuth. A program's domain is that of its `client_id`; of a program that registered itself, the domain to which the browser goes on, or `localhost` for the person's own computer. */
    OauthClientPolicy: {
      /**
       * @description Absent: every program. Empty: none.
       * @example [
       *       "claude.ai",
       *       "*.example.com"
       *     ]
       */
      allowedDomains?: string[];
      deniedDomains?: string[];
    };
    /** @description Of the groups of the person on whose behalf somebody calls. */
    GroupPolicy: {
      each?: components["schemas"]["Limits"] & unknown;
      /** @description By the group's name, as the identity provider has it. */
      limits?: {
        [key: string]: components["schemas"]["Limits"];
      };
    };
    /** @description Limits of one node that are larger for a time. */
    Raise: {
      /**
       * @description Whose limits, as `GET …/limits` names the node: the id of the tenant, a key or a server, or such as `user:…`.
       * @example key_01kaphjqb5p8z9xmsc8c8nk0yz
       */
      subject: string;
      limits: components["schemas"]["Limits"] & unknown;
      /**
       * @description ms since the epoch: the raise ends by itself.
       * @example 1795132800000
       */
      until: number;
      /** @description Why, for people. */
      why: string;
      /** @description Who raised. The router writes this, whatever is sent. */
      by?: string;
    };
    /** @description Applied when every predicate holds; of several, the last has the word. */
    ShapingRule: {
      when: string[];
      set: {
        defaultPriorities?: {
          cost?: number;
          speed?: number;
          intelligence?: number;
        };
        /** @enum {string} */
        verbosity?: "compact" | "standard" | "verbose";
        /** @enum {string} */
        format?: "json" | "text" | "markdown";
        systemPromptSuffix?: string;
      };
    };
    /**
     * @description Kill switches: each that is there is on, and its value says why.
     * @example {
     *       "providers": {
     *         "openai": "Bills twice. Ask Kim before lifting it."
     *       }
     *     }
     */
    Switches: {
      /** @description Stops the whole tenant. */
      tenant?: string;
      /** @description By the slug of a registered server. */
      servers?: {
        [key: string]: string;
      };
      /** @description By the id of an API key. */
      keys?: {
        [key: string]: string;
      };
      /** @description By a glob over provider/model. */
      models?: {
        [key: string]: string;
      };
      /** @description By a provider's name. */
      providers?: {
        [key: string]: string;
      };
    };
    /** @description Which calls wait for a person. */
    ApprovalRule: {
      /**
       * @description auto: nobody approves. request: a person approves that the call is made. result: that its result is given out; the call is paid by then, also if it is denied. both: one after the other.
       * @enum {string}
       */
      mode: "auto" | "request" | "result" | "both";
      /** @description Calls of which any of these is true. Absent: every call. */
      when?: {
        /**
         * @description Of the most that the call may cost. An unknown price is above any amount.
         * @example 25
         */
        costUsdAbove?: number;
        models?: string[];
        /** @description Slugs of registered servers that ask. */
        servers?: string[];
        /** @description Names of the tools that are being called. */
        tools?: string[];
        modalities?: ("text" | "image" | "audio")[];
      };
      /** @description s in which somebody has to decide. Default: 3600. */
      timeoutSeconds?: number;
      /**
       * @description What happens when nobody decides. Default: deny.
       * @enum {string}
       */
      onTimeout?: "deny" | "approve";
      /**
       * @description Where held calls, and their ends, are told of: messages as Standard Webhooks, without any content of the call. `POST …/webhooks/secret` makes the secret that signs them.
       * @example https://hooks.example.com/approvals
       */
      webhookUrl?: string;
    };
    /** @description Who is told that a budget runs out, or of trouble. */
    AlertRule: {
      /** @description Per cent of each budget at which people are told. Default: 50, 80, 100. */
      shares?: number[];
      /**
       * @description Where alerts are sent: messages as Standard Webhooks. `POST …/webhooks/secret` makes the secret that signs them. Absent: alerts are listed, and sent nowhere.
       * @example https://hooks.example.com/alerts
       */
      webhookUrl?: string;
    };
    TenantInput: {
      /** @example acme */
      slug: string;
      name: string;
      /**
       * @description Near where the tenant's database is to be made, for good: Cloudflare's location hints. For a deployment with a Durable Object for each tenant.
       * @enum {string}
       */
      region?:
        | "wnam"
        | "enam"
        | "sam"
        | "weur"
        | "eeur"
        | "apac"
        | "apac-ne"
        | "apac-se"
        | "oc"
        | "afr"
        | "me";
      /**
       * @description What the tenant's data is never to leave. For a deployment with a Durable Object for each tenant.
       * @enum {string}
       */
      jurisdiction?: "eu" | "us" | "fedramp" | "fedramp-high";
    };
    ListedTenant: {
      id: string;
      /** @example acme */
      slug: string;
      /** @description In a list over several databases it may be up to a minute old. */
      name: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description Near where the tenant's database was made; null: nobody asked.
       * @enum {string|null}
       */
      region:
        | "wnam"
        | "enam"
        | "sam"
        | "weur"
        | "eeur"
        | "apac"
        | "apac-ne"
        | "apac-se"
        | "oc"
        | "afr"
        | "me"
        | null;
      /**
       * @description What the tenant's data never leaves; null: nobody asked.
       * @enum {string|null}
       */
      jurisdiction: "eu" | "us" | "fedramp" | "fedramp-high" | null;
      /**
       * @description `deleting`: a deletion began and was cut off; ask for it again.
       * @enum {string}
       */
      state: "active" | "deleting";
    };
    TenantPatch: {
      name: string;
    };
    /**
     * @description A JSON merge patch of a Policy.
     * @example {
     *       "limits": {
     *         "usdPerDay": 50,
     *         "requestsPerMinute": null
     *       }
     *     }
     */
    PolicyPatch: {
      [key: string]: unknown;
    };
    Ceiling: {
      limits: components["schemas"]["Limits"];
      /**
       * @description Providers that the operator pays (`workers-ai`) and that the tenant may use. Others need no leave.
       * @example [
       *       "workers-ai"
       *     ]
       */
      providers?: string[];
      /** @description The operator's kill switch for the tenant, and why it is on. Absent: off. */
      stopped?: string;
    };
    PolicyTrial: {
      /** @description How many were made again, 100 at most. */
      decisions: number;
      changed: number;
      /** @description Calls that the present policy answers, and the other one would refuse. */
      newlyRefused: number;
      /** @description Records among the newest 200 without a decision. */
      skipped: number;
      /**
       * @description Members that differ, and whose effect no record shows.
       * @example [
       *       "limits"
       *     ]
       */
      notReplayed: string[];
      data: {
        id: string;
        /**
         * @description ms since the epoch
         * @example 1795132800000
         */
        createdAt: number;
        keyId: string;
        serverId: string | null;
        /** @description What was chosen then. */
        recorded: string;
        before: components["schemas"]["TriedChoice"];
        after: components["schemas"]["TriedChoice"] & unknown;
        isChanged: boolean;
        /**
         * @description Why the other policy can't choose what the present one does.
         * @enum {string|null}
         */
        excludedBy:
          | "input_modality"
          | "output_modality"
          | "tools"
          | "context_window"
          | "output_limit"
          | "reasoning_room"
          | "not_allowed"
          | "unknown_price"
          | "no_credential"
          | "no_operator_leave"
          | "credential_failing"
          | "circuit_open"
          | "retired"
          | "preview"
          | "image_model"
          | "stopped"
          | "canned"
          | null;
      }[];
    };
    /** @description What the present policy chooses today. */
    TriedChoice: {
      /** @description null: refused */
      model: string | null;
      refused: {
        /** @enum {string} */
        reason:
          | "user_rejected"
          | "approval_pending"
          | "invalid_params"
          | "capability_missing"
          | "no_eligible_model"
          | "rate_limited"
          | "budget_exceeded"
          | "forbidden"
          | "stopped"
          | "provider_failed"
          | "provider_timeout"
          | "server_unauthorized"
          | "authorization_needed"
          | "unavailable"
          | "cancelled"
          | "idempotency_conflict"
          | "internal"
          | "unreadable"
          | "server_failed"
          | "server_timeout"
          | "loop_detected"
          | "parse_error"
          | "invalid_request"
          | "method_not_found"
          | "header_mismatch"
          | "unsupported_protocol_version"
          | "bad_request"
          | "unauthorized"
          | "not_found"
          | "session_not_found"
          | "session_required"
          | "origin_not_allowed"
          | "method_not_allowed"
          | "not_acceptable"
          | "conflict"
          | "precondition_failed"
          | "payload_too_large"
          | "unsupported_media_type";
        /** @description How many models each reason excludes. */
        excluded: {
          [key: string]: number;
        };
      } | null;
    };
    IdentityProvider: {
      /**
       * @description cloudflare-access: the gateway signs people in, and says who came.
       * @enum {string}
       */
      kind: "openid-connect" | "cloudflare-access";
      /**
       * @description As the provider names itself; of Cloudflare Access the team's domain.
       * @example https://id.example.com
       */
      issuer: string;
      /** @description Of Cloudflare Access the application's audience. */
      clientId: string;
      /**
       * @description Which member of a person's claims gives the role.
       * @example groups
       */
      claim: string;
      /**
       * @description The role by the claim's value. Of several the strongest counts.
       * @example {
       *       "platform-team": "admin",
       *       "finance": "viewer"
       *     }
       */
      roles: {
        [key: string]: "viewer" | "auditor" | "approver" | "admin";
      };
      /**
       * @description Values of the claim that let people's programs call, by OAuth. Absent: people show an API key there.
       * @example [
       *       "engineering"
       *     ]
       */
      callers?: string[];
      hasSecret: boolean;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      updatedAt: number;
    };
    IdentityProviderInput: {
      /**
       * @description cloudflare-access: the gateway signs people in, and says who came.
       * @enum {string}
       */
      kind: "openid-connect" | "cloudflare-access";
      /**
       * @description As the provider names itself; of Cloudflare Access the team's domain.
       * @example https://id.example.com
       */
      issuer: string;
      /** @description Of Cloudflare Access the application's audience. */
      clientId: string;
      /**
       * @description Which member of a person's claims gives the role.
       * @example groups
       */
      claim: string;
      /**
       * @description The role by the claim's value. Of several the strongest counts.
       * @example {
       *       "platform-team": "admin",
       *       "finance": "viewer"
       *     }
       */
      roles: {
        [key: string]: "viewer" | "auditor" | "approver" | "admin";
      };
      /**
       * @description Values of the claim that let people's programs call, by OAuth. Absent: people show an API key there.
       * @example [
       *       "engineering"
       *     ]
       */
      callers?: string[];
      /** @description Absent: as it is, for the same issuer and client. null: none. */
      clientSecret?: string | null;
    };
    NewKey: components["schemas"]["Key"] & {
      /** @description The API key. Shown this once. */
      key: string;
    };
    Key: {
      id: string;
      tenantId: string;
      name: string;
      scopes: (
        | "sampling"
        | "proxy"
        | "tenant-admin"
        | "viewer"
        | "auditor"
        | "approver"
        | "admin"
      )[];
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      expiresAt: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      revokedAt: number | null;
      limits: components["schemas"]["Limits"];
      /** @description The person for whom the key is. */
      userId: string | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
    };
    KeyInput: {
      name: string;
      /** @description `sampling` and `proxy` let the key sample; one of `viewer`, `auditor`, `approver` and `admin` gives it a role on the admin API. `tenant-admin` means `admin`. */
      scopes: (
        | "sampling"
        | "proxy"
        | "tenant-admin"
        | "viewer"
        | "auditor"
        | "approver"
        | "admin"
      )[];
      /**
       * @description Absent: never, or when the key expires that asks. No later than that, which an operator's token does not.
       * @example 2026-11-21T09:30:00Z
       */
      expiresAt?: number | string | null;
      limits?: components["schemas"]["Limits"];
      /** @description The person for whom the key is, of the tenant's users. Absent: of no person. */
      userId?: string;
    };
    KeyPatch: {
      name?: string;
      /**
       * @description null: never
       * @example 2026-11-21T09:30:00Z
       */
      expiresAt?: number | string | null;
      limits?: components["schemas"]["LimitsPatch"];
    };
    /** @description null takes a limit away; an absent one stays. */
    LimitsPatch: {
      requestsPerMinute?: number | null;
      requestsPerDay?: number | null;
      requestsPerWeek?: number | null;
      requestsPerMonth?: number | null;
      requestsTotal?: number | null;
      tokensPerMinute?: number | null;
      tokensPerDay?: number | null;
      tokensPerWeek?: number | null;
      tokensPerMonth?: number | null;
      tokensTotal?: number | null;
      concurrent?: number | null;
      /** @example 25 */
      usdPerMinute?: number | null;
      /** @example 25 */
      usdPerDay?: number | null;
      /** @example 25 */
      usdPerWeek?: number | null;
      /** @example 25 */
      usdPerMonth?: number | null;
      /** @example 25 */
      usdTotal?: number | null;
    };
    /** @description The provider's key never comes back. */
    Credential: {
      id: string;
      tenantId: string;
      provider: string;
      name: string;
      baseUrl: string | null;
      models: components["schemas"]["DeclaredModel"][] | null;
      /** @enum {string} */
      status: "active" | "failing";
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      updatedAt: number;
    };
    DeclaredModel: {
      id: string;
      name?: string;
      family?: string | null;
      aliases?: string[];
      /** @description What the model takes. Default: what the catalogue says of it, else text alone. */
      inputModalities?: ("text" | "image" | "audio")[];
      /** @description What the model makes. Default: what the catalogue says of it, else text alone. */
      outputModalities?: ("text" | "image" | "audio")[];
      contextTokens?: number | null;
      outputTokens?: number | null;
      /** @description Whether the model uses tools. Default: what the catalogue says of it, else false. */
      tools?: boolean;
      temperature?: boolean;
      reasoning?: boolean;
      reasoningControl?: components["schemas"]["ReasoningControl"];
      inputUsdPerMTok?: number | null;
      outputUsdPerMTok?: number | null;
      /** @description Where only the plain input price is given, cached input costs that. */
      cachedInputUsdPerMTok?: number | null;
      /** @description input written to the provider's cache */
      cacheWriteUsdPerMTok?: number | null;
      /** @description the same, to stay for an hour */
      cacheWriteHourUsdPerMTok?: number | null;
      /** @description audio in the input */
      audioInputUsdPerMTok?: number | null;
      /** @description audio read from that cache */
      cachedAudioInputUsdPerMTok?: number | null;
      priceTiers?: {
        aboveInputTokens: number;
        inputUsdPerMTok: number;
        outputUsdPerMTok: number;
        cachedInputUsdPerMTok?: number | null;
        /** @description input written to the provider's cache */
        cacheWriteUsdPerMTok?: number | null;
        /** @description the same, to stay for an hour */
        cacheWriteHourUsdPerMTok?: number | null;
        /** @description audio in the input */
        audioInputUsdPerMTok?: number | null;
        /** @description audio read from that cache */
        cachedAudioInputUsdPerMTok?: number | null;
      }[];
      mediaPrices?: components["schemas"]["MediaPrices"];
      intelligence?: 1 | 2 | 3 | 4 | 5 | null;
      speed?: 1 | 2 | 3 | 4 | 5 | null;
      /** @enum {string} */
      status?: "active" | "preview" | "retired";
      /** @description Day or month of the release; between equals the newer is chosen. */
      releasedAt?: string | null;
      /** @description Published results by benchmark and setting. Compared only under the same key and within a tier. */
      scores?: {
        [key: string]: number;
      };
    };
    /** @description Absent: only that the model reasons is known. */
    ReasoningControl: {
      /** @description Least first. */
      efforts: ("none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max")[];
      /**
       * @description What the provider does when nothing is sent.
       * @enum {string}
       */
      byDefault: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | "max";
      /** @enum {string} */
      sentAs:
        | "reasoning_effort"
        | "reasoning_effort_default"
        | "reasoning_effort_off"
        | "thinking_toggle"
        | "reasoning_toggle"
        | "reasoning_toggle_effort"
        | "anthropic_budget"
        | "anthropic_adaptive"
        | "google_budget"
        | "google_level"
        | "workers_effort"
        | "workers_effort_thinking";
      /** @description Tokens for each effort, where the provider takes a number of them. */
      budgets?: {
        none?: number;
        minimal?: number;
        low?: number;
        medium?: number;
        high?: number;
        xhigh?: number;
        max?: number;
      };
      source: string;
    };
    /** @description What images and audio cost in their own units; an absent one is not billed by. */
    MediaPrices: {
      imageInputUsdPerMTok?: number;
      imageOutputUsdPerMTok?: number;
      usdPerImage?: number;
      usdPerAudioMinute?: number;
      usdPerMCharacters?: number;
    };
    CredentialInput: {
      /** @example openai */
      provider: string;
      name: string;
      apiKey: string;
      baseUrl?: string | null;
      models?: components["schemas"]["DeclaredModel"][] | null;
    };
    CredentialPatch: {
      name?: string;
      apiKey?: string;
      baseUrl?: string | null;
      models?: components["schemas"]["DeclaredModel"][] | null;
    };
    CredentialCheck: {
      ok: boolean;
      model: string | null;
      fault: {
        kind: string;
        status: number | null;
        /** @enum {string} */
        code?:
          | "invalid_key"
          | "no_credit"
          | "spend_limit"
          | "account_blocked"
          | "country_not_supported"
          | "model_not_found"
          | "model_not_allowed"
          | "rate_limited"
          | "overloaded"
          | "answer_too_large";
        network?: components["schemas"]["NetworkFault"];
      } | null;
      /** @description The ids that the provider's /v1/models lists: send those you want as `models`. null: it gives no list. */
      listed: string[] | null;
    };
    /** @description Why a peer gave no answer, or only a part of one. */
    NetworkFault: {
      /** @enum {string} */
      cause:
        | "dns"
        | "refused"
        | "unreachable"
        | "connect_timeout"
        | "tls_expired"
        | "tls_untrusted"
        | "tls_name"
        | "tls_handshake"
        | "proxy_unreachable"
        | "proxy_refused"
        | "not_allowed"
        | "protocol"
        | "broken_off"
        | "answer_timeout"
        | "unknown";
      host: string;
      port: number;
    };
    Model: {
      provider: string;
      id: string;
      name: string;
      family: string | null;
      aliases: string[];
      inputModalities: ("text" | "image" | "audio")[];
      outputModalities: ("text" | "image" | "audio")[];
      contextTokens: number | null;
      outputTokens: number | null;
      tools: boolean;
      temperature: boolean;
      reasoning: boolean;
      reasoningControl?: components["schemas"]["ReasoningControl"];
      inputUsdPerMTok: number | null;
      outputUsdPerMTok: number | null;
      cachedInputUsdPerMTok: number | null;
      /** @description input written to the provider's cache */
      cacheWriteUsdPerMTok?: number | null;
      /** @description the same, to stay for an hour */
      cacheWriteHourUsdPerMTok?: number | null;
      /** @description audio in the input */
      audioInputUsdPerMTok?: number | null;
      /** @description audio read from that cache */
      cachedAudioInputUsdPerMTok?: number | null;
      priceTiers: {
        aboveInputTokens: number;
        inputUsdPerMTok: number;
        outputUsdPerMTok: number;
        cachedInputUsdPerMTok?: number | null;
        /** @description input written to the provider's cache */
        cacheWriteUsdPerMTok?: number | null;
        /** @description the same, to stay for an hour */
        cacheWriteHourUsdPerMTok?: number | null;
        /** @description audio in the input */
        audioInputUsdPerMTok?: number | null;
        /** @description audio read from that cache */
        cachedAudioInputUsdPerMTok?: number | null;
      }[];
      mediaPrices?: components["schemas"]["MediaPrices"];
      intelligence: 1 | 2 | 3 | 4 | 5 | null;
      speed: 1 | 2 | 3 | 4 | 5 | null;
      /** @enum {string} */
      status: "active" | "preview" | "retired";
      /** @description Day or month of the release; between equals the newer is chosen. */
      releasedAt?: string | null;
      /** @description Published results by benchmark and setting. Compared only under the same key and within a tier. */
      scores?: {
        [key: string]: number;
      };
      /**
       * @description Who spoke last of the model.
       * @enum {string}
       */
      source: "catalogue" | "credential" | "override";
      /**
       * @description Where each figure came from that did not come from `source`; `catalogue` there means the seed. `unverified`: the seed's too, but from memory or a third party.
       * @example {
       *       "inputUsdPerMTok": "models.dev",
       *       "speed": "override"
       *     }
       */
      sources: {
        /** @enum {string} */
        name?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        family?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        aliases?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        inputModalities?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        outputModalities?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        contextTokens?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        outputTokens?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        tools?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        temperature?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        reasoning?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        reasoningControl?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        inputUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        outputUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        cachedInputUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        cacheWriteUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        cacheWriteHourUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        audioInputUsdPerMTok?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        cachedAudioInputUsdPerMTok?:
          | "seed"
          | "unverified"
          | "models.dev"
          | "credential"
          | "override";
        /** @enum {string} */
        priceTiers?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        mediaPrices?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        intelligence?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        speed?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        status?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        releasedAt?: "seed" | "unverified" | "models.dev" | "credential" | "override";
        /** @enum {string} */
        scores?: "seed" | "unverified" | "models.dev" | "credential" | "override";
      };
      /** @description Could be chosen now: a working credential, allowed, no open circuit. */
      available: boolean;
      /** @description What the router saw of it lately. null: too little. */
      measured: {
        p50Ms: number;
        tokensPerSecond: number;
        samples: number;
      } | null;
    };
    ModelOverride: {
      provider: string;
      id: string;
      change: components["schemas"]["ModelChange"];
    };
    ModelChange: {
      name?: string;
      family?: string | null;
      aliases?: string[];
      /** @description What the model takes. Default: what the catalogue says of it, else text alone. */
      inputModalities?: ("text" | "image" | "audio")[];
      /** @description What the model makes. Default: what the catalogue says of it, else text alone. */
      outputModalities?: ("text" | "image" | "audio")[];
      contextTokens?: number | null;
      outputTokens?: number | null;
      /** @description Whether the model uses tools. Default: what the catalogue says of it, else false. */
      tools?: boolean;
      temperature?: boolean;
      reasoning?: boolean;
      reasoningControl?: components["schemas"]["ReasoningControl"];
      inputUsdPerMTok?: number | null;
      outputUsdPerMTok?: number | null;
      /** @description Where only the plain input price is given, cached input costs that. */
      cachedInputUsdPerMTok?: number | null;
      /** @description input written to the provider's cache */
      cacheWriteUsdPerMTok?: number | null;
      /** @description the same, to stay for an hour */
      cacheWriteHourUsdPerMTok?: number | null;
      /** @description audio in the input */
      audioInputUsdPerMTok?: number | null;
      /** @description audio read from that cache */
      cachedAudioInputUsdPerMTok?: number | null;
      priceTiers?: {
        aboveInputTokens: number;
        inputUsdPerMTok: number;
        outputUsdPerMTok: number;
        cachedInputUsdPerMTok?: number | null;
        /** @description input written to the provider's cache */
        cacheWriteUsdPerMTok?: number | null;
        /** @description the same, to stay for an hour */
        cacheWriteHourUsdPerMTok?: number | null;
        /** @description audio in the input */
        audioInputUsdPerMTok?: number | null;
        /** @description audio read from that cache */
        cachedAudioInputUsdPerMTok?: number | null;
      }[];
      mediaPrices?: components["schemas"]["MediaPrices"];
      intelligence?: 1 | 2 | 3 | 4 | 5 | null;
      speed?: 1 | 2 | 3 | 4 | 5 | null;
      /** @enum {string} */
      status?: "active" | "preview" | "retired";
      /** @description Day or month of the release; between equals the newer is chosen. */
      releasedAt?: string | null;
      /** @description Published results by benchmark and setting. Compared only under the same key and within a tier. */
      scores?: {
        [key: string]: number;
      };
    };
    Server: {
      id: string;
      tenantId: string;
      /** @example acme */
      slug: string;
      url: string;
      headerNames: string[];
      passHeaders: string[];
      forwardAuthorization: boolean;
      /** @enum {string} */
      sampling: "router" | "client" | "client-then-router" | "deny";
      supportedModalities: boolean;
      /** @enum {string} */
      auth: "keys" | "oauth" | "both";
      /** @enum {string} */
      bridge: "fallback" | "always";
      policy: components["schemas"]["ServerPolicy"];
      oauth: {
        /** @enum {string} */
        grant: "client_credentials" | "authorization_code";
        clientId: string | null;
        hasSecret: boolean;
        tokenEndpoint: string | null;
        authorizationEndpoint: string | null;
        scope: string | null;
        resource: string | null;
        /**
         * @description user: each person connects an account of their own at the server, at /oauth/connect. tenant, the default: all share the account that an administrator authorized.
         * @enum {string}
         */
        per?: "tenant" | "user";
      } | null;
      /** @description What the router found out by talking to it. */
      learnt: {
        bareCapabilities?: boolean;
        /** @enum {string} */
        era?: "legacy" | "modern";
        beginsSessions?: boolean;
        /** @description The authorization server that the entry's OAuth client belongs to. */
        issuer?: string;
        /** @description OAuth scopes that it asked for in answer to single requests. */
        scopes?: string[];
      };
      /**
       * @description failing: it answered 401, or its authorization server gives no token.
       * @enum {string}
       */
      status: "active" | "failing";
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      updatedAt: number;
    };
    /** @description On top of the tenant's policy and the key's limits. */
    ServerPolicy: {
      limits?: components["schemas"]["Limits"];
      /** @description A larger maxTokens is lowered to this. */
      maxTokens?: number;
      /** @description Globs over provider/model. Absent: everything. Empty: nothing. */
      allowedModels?: string[];
      deniedModels?: string[];
      /** @description Tool-use turns that a request's own history may hold. Default: 25. */
      toolRounds?: number;
      /** @description Nothing is sampled for it. */
      disabled?: boolean;
      approval?: components["schemas"]["ApprovalRule"];
    };
    ServerInput: {
      /** @example acme */
      slug: string;
      /** @example https://mcp.example.com/mcp */
      url: string;
      /** @enum {string} */
      sampling: "router" | "client" | "client-then-router" | "deny";
      /** @description Static headers, values included. They are sealed and never come back. */
      headers?: {
        [key: string]: string;
      };
      /**
       * @description Names of clients' headers that go on to the server, beside those of the protocol. None, unless said; ["*"] is nearly every header, as of entries that are older than this member.
       * @example [
       *       "X-Workspace"
       *     ]
       */
      passHeaders?: string[];
      /** @description Pass the client's own Authorization on. Only for secrets that are no OAuth tokens, with the router's key in X-Sampling-Router-Key. */
      forwardAuthorization?: boolean;
      /** @description Tell the server of the modalities that can be produced. Strict servers reject it. */
      supportedModalities?: boolean;
      /**
       * @description How MCP clients show who they are: keys: an API key. oauth: an access token that a person consented to. both, the default: either. OAuth needs PUBLIC_URL.
       * @enum {string}
       */
      auth?: "keys" | "oauth" | "both";
      /**
       * @description always: server/discover of an older server is answered by the router, which clients of 2026-07-28 alone need. fallback, the default: it is refused, and clients of both speak the older revision.
       * @enum {string}
       */
      bridge?: "fallback" | "always";
      policy?: components["schemas"]["ServerPolicy"];
      oauth?: components["schemas"]["OauthInput"] | null;
    };
    /** @description The router as the tenant's own OAuth client. Absent endpoints are discovered by the server's metadata. */
    OauthInput: {
      /** @enum {string} */
      grant: "client_credentials" | "authorization_code";
      /** @description As whom the router is registered with the authorization server. Absent, with authorization_code: the router makes itself known, by its client metadata document or by dynamic registration. */
      clientId?: string | null;
      clientSecret?: string | null;
      /** @example https://mcp.example.com/mcp */
      tokenEndpoint?: string | null;
      /** @example https://mcp.example.com/mcp */
      authorizationEndpoint?: string | null;
      scope?: string | null;
      /** @example https://mcp.example.com/mcp */
      resource?: string | null;
      /**
       * @description user: each person connects an account of their own at the server, at /oauth/connect. tenant, the default: all share the account that an administrator authorized.
       * @enum {string}
       */
      per?: "tenant" | "user";
    };
    /** @description A merge patch (RFC 7396): absent members stay, null takes one away. headers and oauth hold secrets, and replace what there is. */
    ServerPatch: {
      /** @example https://mcp.example.com/mcp */
      url?: string;
      /** @enum {string} */
      sampling?: "router" | "client" | "client-then-router" | "deny";
      /** @description Static headers, values included. They are sealed and never come back. */
      headers?: {
        [key: string]: string;
      } | null;
      /**
       * @description Names of clients' headers that go on to the server, beside those of the protocol. None, unless said; ["*"] is nearly every header, as of entries that are older than this member.
       * @example [
       *       "X-Workspace"
       *     ]
       */
      passHeaders?: string[] | null;
      /** @description Pass the client's own Authorization on. Only for secrets that are no OAuth tokens, with the router's key in X-Sampling-Router-Key. */
      forwardAuthorization?: boolean | null;
      /** @description Tell the server of the modalities that can be produced. Strict servers reject it. */
      supportedModalities?: boolean | null;
      /**
       * @description How MCP clients show who they are: keys: an API key. oauth: an access token that a person consented to. both, the default: either. OAuth needs PUBLIC_URL.
       * @enum {string}
       */
      auth?: "keys" | "oauth" | "both";
      /**
       * @description always: server/discover of an older server is answered by the router, which clients of 2026-07-28 alone need. fallback, the default: it is refused, and clients of both speak the older revision.
       * @enum {string|null}
       */
      bridge?: "fallback" | "always" | null;
      policy?: components["schemas"]["ServerPolicyPatch"] | null;
      oauth?: components["schemas"]["OauthInput"] | null;
    };
    ServerPolicyPatch: {
      limits?: {
        requestsPerMinute?: number | null;
        requestsPerDay?: number | null;
        requestsPerWeek?: number | null;
        requestsPerMonth?: number | null;
        requestsTotal?: number | null;
        tokensPerMinute?: number | null;
        tokensPerDay?: number | null;
        tokensPerWeek?: number | null;
        tokensPerMonth?: number | null;
        tokensTotal?: number | null;
        concurrent?: number | null;
        /** @example 25 */
        usdPerMinute?: number | null;
        /** @example 25 */
        usdPerDay?: number | null;
        /** @example 25 */
        usdPerWeek?: number | null;
        /** @example 25 */
        usdPerMonth?: number | null;
        /** @example 25 */
        usdTotal?: number | null;
      } | null;
      /** @description A larger maxTokens is lowered to this. */
      maxTokens?: number | null;
      /** @description Globs over provider/model. Absent: everything. Empty: nothing. */
      allowedModels?: string[] | null;
      deniedModels?: string[] | null;
      /** @description Tool-use turns that a request's own history may hold. Default: 25. */
      toolRounds?: number | null;
      disabled?: boolean | null;
      approval?: components["schemas"]["ApprovalRule"] | null;
    };
    /** @description Send a person's browser there; they come back to /oauth/callback, once. */
    AuthorizationStart: {
      authorizationUrl: string;
      state: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      expiresAt: number;
    };
    ServerCheck: {
      /** @description A working MCP server, which lets the router in. */
      ok: boolean;
      /** @description HTTP status of its answer; null: none came. */
      status: number | null;
      /** @description What was found, or what is wrong, in a sentence. */
      detail: string;
      /** @enum {string|null} */
      era: "legacy" | "modern" | null;
      /** @description As the server calls itself. */
      name: string | null;
      /** @description How many tools it lists. */
      tools: number | null;
    };
    ServerInstall: {
      /** @description The server's address behind the router. */
      url: string;
      /** @description The environment variable from which some of the texts take an API key. */
      keyVariable: string;
      snippets: {
        /** @example VS Code */
        client: string;
        /** @description Where the text goes. */
        where: string;
        text: string;
        /** @description An address that adds the server at one click; null: the client has none. */
        link: string | null;
      }[];
    };
    ListedApproval: {
      tenantId: string;
      requestId: string;
      /** @enum {string} */
      stage: "request" | "result";
      /** @description The key that asks. */
      keyId: string;
      /**
       * @description waiting: somebody has to decide. approved: its caller may come for it. begun: it ran. expired: nobody decided, or nobody came for it. withdrawn: its caller cancelled it.
       * @enum {string}
       */
      state: "waiting" | "approved" | "denied" | "expired" | "begun" | "withdrawn";
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description Until when somebody may decide; of an approved call, until when it waits.
       * @example 1795132800000
       */
      deadline: number;
      /** @enum {string} */
      onTimeout: "deny" | "approve";
      /** @description Which conditions of the rule hold. Empty: the rule is for every call. */
      why: string[];
      /** @description Of what is shown. A decision names it. */
      shown: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      decidedAt: number | null;
      /** @description `operator`, the id of a key, `timeout`, or `caller`. */
      decidedBy: string | null;
      comment: string | null;
      /** @description What the approver changed: the hash of the new content, the model. */
      edited: {
        content?: string;
        model?: string;
      } | null;
    };
    Approval: components["schemas"]["ListedApproval"] & {
      /** @description Of a request: `who` asks, the `call` with its messages, the chosen `model`, `alternatives`, the `estimate`, and `reservedUsd`, which is the most that it may cost. null: kept no longer. */
      content: {
        [key: string]: unknown;
      } | null;
      /**
       * @description What people call the tenant, keys, servers and persons that the answer has by id.
       * @example {
       *       "srv_1": "github"
       *     }
       */
      names: {
        [key: string]: string;
      };
    };
    ApprovalDecision: {
      /** @enum {string} */
      decision: "approve" | "deny";
      reason?: string;
      /** @description `shown` of what the approver read. */
      shown: string;
      edited?: components["schemas"]["ApprovalEdits"];
    };
    /** @description What takes the place of the caller's messages, system prompt, and of the chosen model. The call is chosen and reserved anew; over a budget that is refused, and the call waits on. */
    ApprovalEdits: {
      messages?: {
        /** @enum {string} */
        role: "user" | "assistant";
        content: (
          | {
              /** @enum {string} */
              type: "text";
              text: string;
            }
          | {
              /** @enum {string} */
              type: "image" | "audio";
              data: string;
              mimeType: string;
            }
        )[];
      }[];
      systemPrompt?: string;
      /** @description Of a result: the text that takes its place. */
      text?: string;
      model?: string;
    };
    Alert: {
      id: string;
      tenantId: string;
      /** @enum {string} */
      kind:
        | "budget_crossed"
        | "credential_failing"
        | "circuit_open"
        | "server_failing"
        | "seals_stopped"
        | "sink_behind";
      /** @description Id of whatever the alert is about; of a circuit its endpoint or model. */
      subject: string;
      /**
       * @description Of a budget, as in `GET …/limits`; null: the alert is about no budget.
       * @example tenant.usdPerDay
       */
      name: string | null;
      /** @description Per cent of the budget. */
      share: number | null;
      /** @description USD. */
      limit: number | null;
      /** @description USD, when it was found. A budget is empty, too, once a call does not fit it. */
      used: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      periodFrom: number;
      /**
       * @description Until then nobody is told again; null: the period has no end.
       * @example 1795132800000
       */
      periodUntil: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      at: number;
    };
    Grant: {
      id: string;
      /** @description Of the program; the URL of its document, or given at registration. */
      clientId: string;
      /** @description As the program calls itself. Anybody may take any name. */
      clientName: string;
      /** @description Where the consent sent the person's browser. */
      redirectHost: string;
      /** @description What its tokens open. */
      resource: string;
      scopes: string[];
      /** @description The API key that the program acts as. */
      keyId: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      expiresAt: number | null;
    };
    User: {
      /** @description As records name the person, in `who.user`. */
      id: string;
      tenantId: string;
      name: string | null;
      /** @description The API key that programs act as which the person lets in. */
      keyId: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
    };
    UserInput: {
      /**
       * @description Whose word it is. Absent: the tenant's identity provider's.
       * @example https://id.example.com
       */
      issuer?: string;
      /** @description The provider's own id of the person, `sub` in its tokens. Nothing keeps it. */
      subject: string;
      /** @description Kept where the policy's `userNames` is `keep`. */
      name?: string;
    };
    WebhookMessage: {
      /** @description `webhook-id`: the same for every attempt. */
      id: string;
      url: string;
      /** @description What is sent, as JSON. */
      body: {
        [key: string]: unknown;
      };
      /**
       * @description pending: it is sent, or sent again. failed: it is given up.
       * @enum {string}
       */
      state: "pending" | "delivered" | "failed";
      attempts: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description When it is sent next; null: never again.
       * @example 1795132800000
       */
      nextAt: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      endedAt: number | null;
      /** @description HTTP status of the last answer. */
      status: number | null;
      /** @description What went wrong at the last attempt. */
      fault: string | null;
    };
    NewWebhookSecret: {
      /** @description Shown this once. */
      secret: string;
      /**
       * @description Until when messages have a signature by the secret before it, too; null: it is the first.
       * @example 1795132800000
       */
      previousUntil: number | null;
    };
    Seal: {
      version: 1 | 2;
      tenantId: string;
      /** @description 1, 2, 3… of each tenant */
      number: number;
      /** @description hash of the statement before it; zeros for the first */
      previous: string;
      /** @description version 1: of the Merkle tree over its records; version 2: the leaf of `checked`, whose `tree` that is */
      root: string;
      count: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      firstCreatedAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      lastCreatedAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      sealedAt: number;
      keyId: string;
      /** @description Ed25519 over the others but `checked` and `hash`, base64url */
      signature: string;
      /** @description of its statement: what a witness is sent, and `--head` takes */
      hash: string;
      /** @description What was found while it was made; null: version 1. */
      checked:
        | ({
            /** @description SHA-256, hex */
            tree: string;
            /** @description the last number of a record that was given out */
            through: number;
            /** @description what was changed, missing or made in the database */
            tampered: ({
              what: string;
            } & {
              [key: string]: unknown;
            })[];
            /** @description positions of records for which no code vouches, as ranges */
            unauthenticated: number[][];
            /** @description positions of records that were sealed before, and corrected or ended since */
            replaced: number[][];
          } & {
            [key: string]: unknown;
          })
        | null;
    };
    /**
     * @description ISO 8601 with its zone (a date alone is midnight UTC), or ms since the epoch, from 1970 on.
     * @example 2026-11-21T09:30:00Z
     */
    Time: number | string;
    Session: {
      id: string;
      tenantId: string;
      keyId: string;
      revision: string;
      /** @description As declared, raw. */
      capabilities: {
        [key: string]: unknown;
      };
      clientInfo: {
        [key: string]: unknown;
      };
      /** @description the server it was begun with */
      serverId: string | null;
      /** @description the server's own session id */
      upstreamId: string | null;
      /** @description Capabilities the server was told, raw. */
      told: {
        [key: string]: unknown;
      } | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      lastUsedAt: number;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      expiresAt: number;
    };
    /** @description The audit record of one sampling request. */
    SamplingRequest: {
      /** @description of what is sealed */
      version: 1 | 2;
      id: string;
      who: {
        tenantId: string;
        keyId: string;
        /** @description Id of the person on whose behalf the key called. Absent: of no person. */
        user?: string;
        sessionId: string | null;
        serverId: string | null;
        /** @description the tool that was being called */
        tool: string | null;
        clientName: string | null;
        clientVersion: string | null;
        revision: string | null;
      };
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      createdAt: number;
      /**
       * @description When the limits counted it, in whose hour and day usage counts it. null: it was refused.
       * @example 1795132800000
       */
      admittedAt: number | null;
      asked: {
        [key: string]: unknown;
      } | null;
      contentSha256: string;
      /** @enum {string} */
      outcome: "admitted" | "succeeded" | "failed" | "refused" | "cancelled" | "unknown";
      /** @enum {string|null} */
      reason:
        | "user_rejected"
        | "approval_pending"
        | "invalid_params"
        | "capability_missing"
        | "no_eligible_model"
        | "rate_limited"
        | "budget_exceeded"
        | "forbidden"
        | "stopped"
        | "provider_failed"
        | "provider_timeout"
        | "server_unauthorized"
        | "authorization_needed"
        | "unavailable"
        | "cancelled"
        | "idempotency_conflict"
        | "internal"
        | "unreadable"
        | "server_failed"
        | "server_timeout"
        | "loop_detected"
        | "parse_error"
        | "invalid_request"
        | "method_not_found"
        | "header_mismatch"
        | "unsupported_protocol_version"
        | "bad_request"
        | "unauthorized"
        | "not_found"
        | "session_not_found"
        | "session_required"
        | "origin_not_allowed"
        | "method_not_allowed"
        | "not_acceptable"
        | "conflict"
        | "precondition_failed"
        | "payload_too_large"
        | "unsupported_media_type"
        | null;
      reasonDetail: string | null;
      /** @description The record stands for so many requests of its key: a rate limit refused each of them, after the first hundred of that minute. null: it is of one request. */
      thinned: {
        requests: number;
        /**
         * @description ms since the epoch
         * @example 1795132800000
         */
        from: number;
        /**
         * @description ms since the epoch
         * @example 1795132800000
         */
        until: number;
      } | null;
      /** @description `failover` lists the candidates that were reserved, best first: `after` names the reaches of a fault of the first that lead to each. Of `candidates`, `viaFailover` marks those that no hint asks for, `isLate` those whose ordinary answer is expected to take longer than the call may, `viaToolLoop` the one that began the tool loop which the call continues; `toolLoop` names the provider and model of that one. */
      decision: {
        [key: string]: unknown;
      } | null;
      attempts: components["schemas"]["Attempt"][];
      reservedTokens: number | null;
      /** @description Of all attempts together; each has its own. */
      usage: components["schemas"]["TokenUsage"] | null;
      /** @description null: unknown, or nothing was called */
      costUsd: number | null;
      /** @description The same in millionths, as the record's seal covers it. */
      costMicroUsd: number | null;
      /** @description More was charged than reserved, which may block the next. */
      overshoot: boolean;
      model: string | null;
      timing: {
        [key: string]: unknown;
      } | null;
      totalMs: number | null;
      overheadMs: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      settledAt: number | null;
      /** @description What the operator found out: of an unknown or an implausible one. */
      correction: {
        /** @enum {string} */
        outcome: "succeeded" | "failed" | "cancelled";
        inputTokens: number;
        outputTokens: number;
        costMicroUsd: number;
        costUsd: number;
        why: string;
        actor: string;
        /**
         * @description ms since the epoch
         * @example 1795132800000
         */
        at: number;
      } | null;
      /** @description Times its result was given again; null: it can't be, or no longer. */
      replays: number | null;
      captured: boolean;
      /**
       * @description A person has to approve it. Absent: nobody has to, or it has ended.
       * @enum {boolean}
       */
      held?: true;
    };
    /** @description One provider call. */
    Attempt: {
      provider: string;
      model: string;
      credentialId: string;
      /** @description HTTP; null: there was none */
      status: number | null;
      retryable: boolean;
      /** @description null: it answered */
      fault: string | null;
      /**
       * @description What the fault speaks of. Absent: it answered.
       * @enum {string}
       */
      reach?: "model" | "credential" | "endpoint";
      /**
       * @description What the provider's error names, in words of the router's own list.
       * @enum {string}
       */
      code?:
        | "invalid_key"
        | "no_credit"
        | "spend_limit"
        | "account_blocked"
        | "country_not_supported"
        | "model_not_found"
        | "model_not_allowed"
        | "rate_limited"
        | "overloaded"
        | "answer_too_large";
      network?: components["schemas"]["NetworkFault"] & unknown;
      /** @enum {string} */
      billed: "yes" | "no" | "maybe";
      latencyMs: number;
      retryAfterMs: number | null;
      notes?: string[];
      usage?: components["schemas"]["TokenUsage"];
      /** @description What was charged for it; null: no known price. Absent: a record of version 1. */
      costMicroUsd?: number | null;
    } & {
      [key: string]: unknown;
    };
    /** @description Absent: nothing is known, or nothing was used. */
    TokenUsage: {
      inputTokens: number;
      outputTokens: number;
      estimated: boolean;
      classes?: components["schemas"]["TokenClasses"];
      media?: components["schemas"]["MediaUsage"];
      /**
       * @description The provider reported what it can't mean: charged as reserved, correctable.
       * @enum {boolean}
       */
      implausible?: true;
    };
    /** @description Parts of the tokens that are priced apart. */
    TokenClasses: {
      /** @description of the input, read from the provider's cache */
      cacheReadTokens?: number;
      /** @description of those, audio */
      cacheReadAudioTokens?: number;
      /** @description of the input, written to that cache */
      cacheWriteTokens?: number;
      /** @description the same, to stay for an hour */
      cacheWriteHourTokens?: number;
      /** @description of the input, audio */
      audioInputTokens?: number;
      /** @description of the output, seen by nobody */
      reasoningTokens?: number;
    };
    /** @description Images and audio in the units that providers bill. Absent: text only. */
    MediaUsage: {
      imageInputTokens?: number;
      imageOutputTokens?: number;
      images?: number;
      audioSeconds?: number;
      characters?: number;
    };
    /** @description The audit record of one sampling request. */
    SamplingRequestWithContent: components["schemas"]["SamplingRequest"] & {
      /** @description Only when the policy captured it. */
      content?: unknown;
      /** @description What providers said of failed attempts, masked, 500 characters at most each. */
      providerMessages: {
        provider: string;
        model: string;
        message: string;
      }[];
      /**
       * @description What people call the tenant, keys, servers and persons that the answer has by id.
       * @example {
       *       "srv_1": "github"
       *     }
       */
      names: {
        [key: string]: string;
      };
    };
    Replay: {
      same: boolean;
      differences: string[];
      recorded: {
        [key: string]: unknown;
      };
      replayed: {
        [key: string]: unknown;
      } | null;
    };
    Correction: {
      /** @enum {string} */
      outcome: "succeeded" | "failed" | "cancelled";
      inputTokens: number;
      outputTokens: number;
      /** @example 25 */
      costUsd: number;
      reason: string;
    };
    AdminEvent: {
      id: string;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      at: number;
      actor: string;
      action: string;
      tenantId: string | null;
      target: string;
      detail: {
        [key: string]: unknown;
      };
    };
    Usage: {
      /**
       * @description The bucket's beginning in UTC.
       * @example 1795132800000
       */
      at: number;
      /**
       * @description Model, or the id of a key, person, server or tenant; empty: none.
       * @example openai/gpt-5
       */
      group: string;
      /** @description Ended ones, refused ones included. */
      requests: number;
      succeeded: number;
      failed: number;
      refused: number;
      cancelled: number;
      unknown: number;
      inputTokens: number;
      outputTokens: number;
      costUsd: number;
      /** @description null: no call is counted. Absent: of more tenants than one answer adds up. */
      latency?: {
        /** @description Calls that are counted here. */
        calls: number;
        total: components["schemas"]["Percentiles"];
        provider: components["schemas"]["Percentiles"] & unknown;
        overhead: components["schemas"]["Percentiles"] & unknown;
      } | null;
    };
    /** @description From arrival to settlement. */
    Percentiles: {
      p50: number;
      p90: number;
      p99: number;
    };
    LimitState: {
      /**
       * @description Whose limit, and which. `ceiling`: the operator's for the tenant. `tenant.storageBytes`: the room of the tenant's own database.
       * @example tenant.usdPerDay
       */
      name: string;
      /** @description The id of the tenant, the key or the server; of others such as `user:…`, `group:eng`, `tag:nightly`, `run:key_…:one`. */
      subject: string;
      /** @enum {string} */
      unit: "requests" | "tokens" | "calls" | "usd" | "runs" | "bytes";
      limit: number;
      /** @description By calls that ended; of requests and calls, all. */
      used: number;
      /** @description By calls that run, or wait for a person. */
      reserved: number;
      left: number;
      /**
       * @description When the day, week or month ends, or the oldest use of a minute is free again. null: nothing is used, a call's end frees it, or the limit is a total.
       * @example 1795132800000
       */
      freesAt: number | null;
      /**
       * @description When the raise in force ends. Absent: the limit stands as it is set.
       * @example 1795132800000
       */
      raisedUntil?: number;
    };
    Catalogue: {
      /** @example 2026-11-21.1a2b3c4d */
      version: string;
      models: number;
      /**
       * @description null: never, so it is the seed
       * @example 1795132800000
       */
      syncedAt: number | null;
      /**
       * @description ms since the epoch
       * @example 1795132800000
       */
      dueAt: number | null;
      /** @description Why the last file was not taken. */
      fault: string | null;
    };
    CatalogueSync: {
      /** @enum {string} */
      state: "synced" | "unchanged" | "refused";
      /** @example 2026-11-21.1a2b3c4d */
      version?: string;
      changes?: {
        added: string[];
        retired: string[];
        repriced: {
          model: string;
          from: {
            input: number | null;
            output: number | null;
          };
          to: {
            input: number | null;
            output: number | null;
          };
        }[];
        odd: string[];
      };
      /** @description Why the file was not taken. */
      fault?: string;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  routeSampling: {
    parameters: {
      query?: never;
      header?: {
        /** @description The session whose declared capabilities apply. */
        "Mcp-Session-Id"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SamplingParams"];
      };
    };
    responses: {
      /** @description The choice. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RouteDecision"];
        };
      };
      /** @description Invalid params, or: Bad request, or: Required client capability not declared, or: Header mismatch, or: Unsupported protocol version */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Stopped by a kill switch, or: Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Session not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description No eligible model */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  sample: {
    parameters: {
      query?: never;
      header?: {
        /** @description The session whose declared capabilities apply. */
        "Mcp-Session-Id"?: string;
        /** @description 2026-07-28: this one request, without a session. */
        "MCP-Protocol-Version"?: string;
        /** @description In 2026-07-28: the method of the body. */
        "Mcp-Method"?: string;
        /** @description The same call again is answered from the record. */
        "Idempotency-Key"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RpcMessage"];
      };
    };
    responses: {
      /** @description The answer; a caller that names text/event-stream in Accept gets it as one event. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description A notification was taken. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Parse error, or: Invalid request, or: Header mismatch, or: Unsupported protocol version, or: Mcp-Session-Id required, or: Required client capability not declared */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not found, or: Not found, or: Session not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Not acceptable */
      406: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
    };
  };
  endSamplingSession: {
    parameters: {
      query?: never;
      header?: {
        /** @description The session whose declared capabilities apply. */
        "Mcp-Session-Id"?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Mcp-Session-Id required */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Session not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
    };
  };
  sampleOfTenant: {
    parameters: {
      query?: never;
      header?: {
        /** @description The session whose declared capabilities apply. */
        "Mcp-Session-Id"?: string;
        /** @description 2026-07-28: this one request, without a session. */
        "MCP-Protocol-Version"?: string;
        /** @description In 2026-07-28: the method of the body. */
        "Mcp-Method"?: string;
        /** @description The same call again is answered from the record. */
        "Idempotency-Key"?: string;
      };
      path: {
        /** @description The tenant's slug. */
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["RpcMessage"];
      };
    };
    responses: {
      /** @description The answer; a caller that names text/event-stream in Accept gets it as one event. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description A notification was taken. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Parse error, or: Invalid request, or: Header mismatch, or: Unsupported protocol version, or: Mcp-Session-Id required, or: Required client capability not declared */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not found, or: Not found, or: Session not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Not acceptable */
      406: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
    };
  };
  endSamplingSessionOfTenant: {
    parameters: {
      query?: never;
      header?: {
        /** @description The session whose declared capabilities apply. */
        "Mcp-Session-Id"?: string;
      };
      path: {
        /** @description The tenant's slug. */
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Mcp-Session-Id required */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Session not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["RpcAnswer"];
        };
      };
    };
  };
  readConsoleSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The session. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConsoleSession"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  signIn: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["SignInInput"];
      };
    };
    responses: {
      /** @description Signed in; the cookie is in Set-Cookie. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ConsoleSession"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  signOut: {
    parameters: {
      query?: never;
      header: {
        /** @description The session's `csrf`. */
        "X-CSRF-Token": string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listTenants: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["ListedTenant"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createTenant: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TenantInput"];
      };
    };
    responses: {
      /** @description Done. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readTenant: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  deleteTenant: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  renameTenant: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["TenantPatch"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Tenant"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readPolicy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Policy"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  replacePolicy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Policy"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Policy"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  changePolicy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["PolicyPatch"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Policy"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readCeiling: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Ceiling"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  replaceCeiling: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Ceiling"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Ceiling"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  tryPolicy: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": {
          policy: components["schemas"]["Policy"];
        };
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["PolicyTrial"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readSignIn: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IdentityProvider"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  replaceSignIn: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["IdentityProviderInput"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["IdentityProvider"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  removeSignIn: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listKeys: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Key"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["KeyInput"];
      };
    };
    responses: {
      /** @description Done. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewKey"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Key"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  revokeKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  changeKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["KeyPatch"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Key"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  rotateKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewKey"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listCredentials: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Credential"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CredentialInput"];
      };
    };
    responses: {
      /** @description Done. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  deleteCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  updateCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["CredentialPatch"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Credential"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  checkCredential: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CredentialCheck"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listModels: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Model"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  putModel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        provider: string;
        model: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ModelChange"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ModelOverride"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  deleteModel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        provider: string;
        model: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listServers: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Server"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ServerInput"];
      };
    };
    responses: {
      /** @description Done. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Server"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Server"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  deleteServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  updateServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ServerPatch"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Server"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  authorizeServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["AuthorizationStart"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  checkServer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ServerCheck"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readServerInstall: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        server: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["ServerInstall"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listApprovals: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        state?: "waiting" | "approved" | "denied" | "expired" | "begun" | "withdrawn";
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["ListedApproval"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readApproval: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Approval"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  decideApproval: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["ApprovalDecision"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Approval"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listAlerts: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Alert"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listGrants: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Grant"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  revokeGrant: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listUsers: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["User"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  createUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["UserInput"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["User"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  forgetUser: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listWebhooks: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["WebhookMessage"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["NewWebhookSecret"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listSeals: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Seal"][];
            nextCursor: string | null;
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  exportRequests: {
    parameters: {
      query?: {
        /** @description inclusive */
        from?: components["schemas"]["Time"];
        /** @description exclusive */
        to?: components["schemas"]["Time"];
        outcome?: "admitted" | "succeeded" | "failed" | "refused" | "cancelled" | "unknown";
        model?: string;
        /** @description an API key's id */
        key?: string;
        /** @description a person's id */
        user?: string;
        /** @description a server's id */
        server?: string;
        session?: string;
        /** @description Default: ndjson. */
        format?: "ndjson" | "csv";
        /** @description Where the next part begins, as the header X-Next-Cursor said. */
        cursor?: string;
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/x-ndjson": string;
          "text/csv": string;
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  streamRequests: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "text/event-stream": string;
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listSessions: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["Session"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listRequests: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description inclusive */
        from?: components["schemas"]["Time"];
        /** @description exclusive */
        to?: components["schemas"]["Time"];
        outcome?: "admitted" | "succeeded" | "failed" | "refused" | "cancelled" | "unknown";
        model?: string;
        /** @description an API key's id */
        key?: string;
        /** @description a person's id */
        user?: string;
        /** @description a server's id */
        server?: string;
        session?: string;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["SamplingRequest"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SamplingRequestWithContent"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  replayRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Replay"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  correctRequest: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        tenant: string;
        id: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        "application/json": components["schemas"]["Correction"];
      };
    };
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["SamplingRequestWithContent"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listTenantEvents: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["AdminEvent"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readUsage: {
    parameters: {
      query?: {
        /** @description in the first hour */
        from?: components["schemas"]["Time"];
        /** @description after the last hour */
        to?: components["schemas"]["Time"];
        /** @description in UTC; hour unless told */
        bucket?: "hour" | "day";
        /** @description model unless told; all: one row a bucket */
        by?: "model" | "key" | "user" | "server" | "all";
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names?: {
              [key: string]: string;
            };
            data: components["schemas"]["Usage"][];
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readLimits: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path: {
        tenant: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["LimitState"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readUsageOfAll: {
    parameters: {
      query?: {
        /** @description in the first hour */
        from?: components["schemas"]["Time"];
        /** @description after the last hour */
        to?: components["schemas"]["Time"];
        /** @description in UTC; hour unless told */
        bucket?: "hour" | "day";
        /** @description tenant unless told */
        by?: "tenant" | "model";
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names?: {
              [key: string]: string;
            };
            data: components["schemas"]["Usage"][];
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  listEvents: {
    parameters: {
      query?: {
        cursor?: string;
        limit?: number;
        /** @description json unless told; `Accept: text/csv` says csv too */
        format?: "json" | "csv";
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": {
            data: components["schemas"]["AdminEvent"][];
            nextCursor: string | null;
            /**
             * @description What people call the tenant, keys, servers and persons that the answer has by id.
             * @example {
             *       "srv_1": "github"
             *     }
             */
            names?: {
              [key: string]: string;
            };
          };
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  readCatalogue: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["Catalogue"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
  syncCatalogue: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Done. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/json": components["schemas"]["CatalogueSync"];
        };
      };
      /** @description Invalid params, or: Bad request */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unauthorized */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Forbidden, or: Origin not allowed */
      403: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Not found */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Method not allowed */
      405: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Conflict */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Changed meanwhile */
      412: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Payload too large */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Unsupported media type */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Rate limit exceeded */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Internal error */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
      /** @description Temporarily unavailable */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          "application/problem+json": components["schemas"]["Problem"];
        };
      };
    };
  };
}
