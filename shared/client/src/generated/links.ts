// Generated from the OpenAPI document: npm run client:generate

export interface paths {
    "/api/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the authenticated user
         * @description Without a version in the path, the user is not wrapped in `data`. A token shows only its own workspace. For a session, the response header `X-CSRF-Token` contains the token that every change needs, so that a reloaded page can get it.
         *
         *     Requires a valid credential.
         */
        get: operations["user_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change your name
         * @description At most 10 times an hour, unless the operator chose another limit.
         *
         *     Requires the session of a browser.
         */
        patch: operations["user_update"];
        trace?: never;
    };
    "/api/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Ends all of your other sessions. Your access tokens continue to work unless you send `revoke_tokens`: `meta.live_tokens` is the number of those that still work. A password has 10 to 128 characters, and is neither a common one nor your e-mail address or its part before the `@`. Wrong current passwords count as attempts to sign in. At most 10 changes an hour, unless the operator chose another limit.
         *
         *     Requires the session of a browser.
         */
        post: operations["user_changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/password-reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password by a link
         * @description The token is the part of a one-time link behind `#`; the link is valid for an hour. Ends all of your sessions. Your access tokens continue to work unless you send `revoke_tokens`: `meta.live_tokens` is the number of those that still work. Two-factor sign-in stays enabled. The exception is a mailed link of an account that an invitation link made: it proves the address, so the tokens are revoked, and two-factor sign-in is disabled.
         *
         *     No credential is needed.
         */
        post: operations["user_resetPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/password-reset-request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a mail with a link that sets a new password
         * @description The response is the same whether or not an account has this address. Requests are limited per address and per account. A 404 means that the operator has not set up an SMTP server: ask the operator for a link.
         *
         *     No credential is needed.
         */
        post: operations["user_requestPasswordReset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set up two-factor sign-in
         * @description Returns a new secret (RFC 6238) for an authenticator app. It has no effect until it is confirmed with a code, within an hour. A 404 means that the operator has not set up two-factor sign-in. Needs a sign-in, or a `POST /session/reauthenticate`, of the last 10 minutes: otherwise a 403 with `details.reauthenticate`.
         *
         *     Requires the session of a browser.
         */
        post: operations["user_startTotp"];
        /**
         * Disable two-factor sign-in
         * @description Wrong passwords count as attempts to sign in. Your sessions continue. At most 10 times an hour, unless the operator chose another limit.
         *
         *     Requires the session of a browser.
         */
        delete: operations["user_disableTotp"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enable two-factor sign-in
         * @description Takes a code of the new secret. Returns ten recovery codes, which are shown once: each replaces one code of the app, once. Your sessions continue. Wrong codes are limited like those of sign-ins. Needs a sign-in, or a `POST /session/reauthenticate`, of the last 10 minutes: otherwise a 403 with `details.reauthenticate`.
         *
         *     Requires the session of a browser.
         */
        post: operations["user_confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your sessions
         * @description Newest first. A session ends after 14 days, and after 3 days without use, unless the operator chose other times.
         *
         *     Requires the session of a browser.
         */
        get: operations["session_list"];
        put?: never;
        post?: never;
        /**
         * End all of your other sessions
         * @description Needs a sign-in, or a `POST /session/reauthenticate`, of the last 10 minutes: otherwise a 403 with `details.reauthenticate`.
         *
         *     Requires the session of a browser.
         */
        delete: operations["session_endOthers"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{id}": {
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
         * End one of your sessions
         * @description Once this has answered the session is refused everywhere.
         *
         *     Requires the session of a browser.
         */
        delete: operations["session_end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Sets the session cookie; send `meta.csrf_token` as `X-CSRF-Token` with every change. Attempts are limited per address and per account; an unknown e-mail address gets the same response as a wrong password. A user starts at most 100 sessions an hour, unless the operator chose another limit. With two-factor sign-in the right password alone is a 401 with `details.totp_required`: send it again with a `totp_code` or a `recovery_code`. Each code works once.
         *
         *     No credential is needed.
         */
        post: operations["session_create"];
        /**
         * Sign out
         * @description Requires the session of a browser.
         */
        delete: operations["session_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/reauthenticate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm your session with your password
         * @description For ten minutes, what needs a recent sign-in works again. Wrong passwords count as attempts to sign in. Users who only have single sign-on sign in again instead.
         *
         *     Requires the session of a browser.
         */
        post: operations["session_reauthenticate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show how browsers may sign in
         * @description For sign-in pages. E-mail and password are always accepted.
         *
         *     No credential is needed.
         */
        get: operations["session_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign in with an identity provider
         * @description For browsers: sends the browser to the OpenID provider of the installation, and sets a short-lived cookie. A 404 means that the operator has not set up single sign-on. A failure sends a browser that accepts `text/html` to the sign-in page of the console, where the console is served; every other client gets the error.
         *
         *     No credential is needed.
         */
        get: operations["session_startOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/oidc/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Complete a sign-in with an identity provider
         * @description The provider sends the browser here. Sets the session cookie and sends the browser to `return_to`; `GET /user` has the CSRF token. The first time, an identity is linked to the account with its verified e-mail address; it keeps this account.
         *
         *     No credential is needed.
         */
        get: operations["session_finishOidc"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the workspaces of the caller
         * @description A token lists only its own workspace.
         *
         *     Requires a valid credential.
         */
        get: operations["workspaces_list"];
        put?: never;
        /**
         * Create a workspace
         * @description The caller becomes its owner. A 403 where the operator does not allow it; `can_create_workspace` of `GET /user` says so before. The workspace gets the default plan. Attempts are limited per user and day; an attempt at a taken slug counts.
         *
         *     Requires the session of a browser.
         */
        post: operations["workspaces_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a workspace
         * @description With its role for the caller, and what it uses of each limit. A count that is not known within a second is `null`; a `limit` that is `null` does not exist on its plan.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["workspaces_show"];
        put?: never;
        post?: never;
        /**
         * Delete a workspace
         * @description Erases the workspace with everything in it, which cannot be undone. The response means that no member and no token has access any more, and that its links answer 410 within a second; the stored data is removed in the background. `confirm` must be the slug. No other workspace ever gets the slug or the short codes of the default host. Export the audit log and the analytics first if you need them. Needs a sign-in, or a `POST /session/reauthenticate`, of the last 10 minutes: otherwise a 403 with `details.reauthenticate`.
         *
         *     Requires the ability `write`. Requires the role owner. Requires the session of a browser.
         */
        delete: operations["workspaces_delete"];
        options?: never;
        head?: never;
        /**
         * Change the name or the settings of a workspace
         * @description The slug never changes. With `require_two_factor` members without a second factor, and their tokens, get a 403 with `details.two_factor_required` in this workspace until they enable one with `POST /user/totp`. A caller without one cannot switch it on.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        patch: operations["workspaces_update"];
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List members
         * @description `updated_since` lists items that changed at that time or later. To follow changes, repeat the request with a time one minute before your last request, because a change becomes visible a moment after its time. A removed member is not listed. Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["members_list"];
        put?: never;
        /**
         * Invite a member
         * @description The same as an invitation with an `email`: the user becomes a member by accepting it. A user with that address sees it in `GET /user`; the response does not tell whether there is one. `meta.invite_url` is shown once, is valid for seven days, and works once. Only an owner can invite an owner. Invitations are limited per user and hour.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["members_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/members/me": {
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
         * Leave a workspace
         * @description Your tokens for the workspace are revoked. The last owner cannot leave (409).
         *
         *     Requires the ability `write`. Every role may call it.
         */
        delete: operations["members_leave"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/members/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/members/{user}": {
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
         * Remove a member
         * @description Their tokens for the workspace are revoked. The last owner cannot be removed (409).
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        delete: operations["members_remove"];
        options?: never;
        head?: never;
        /**
         * Change the role of a member
         * @description Only an owner can grant or remove the owner role. The last owner cannot be demoted (409).
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        patch: operations["members_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/members/{user}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/invitations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List invitations
         * @description Those that wait for an answer, newest first. Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["invitations_list"];
        put?: never;
        /**
         * Invite to a workspace
         * @description With an `email`, only the owner of that address can accept. Without it, anyone with the link can, once. A user with that address sees it in `GET /user`; the response does not tell whether there is one. `meta.invite_url` is shown once, is valid for seven days, and works once. Only an owner can invite an owner. Invitations are limited per user and hour.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["invitations_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/invitations/{id}": {
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
         * Withdraw an invitation
         * @description Its link stops working.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        delete: operations["invitations_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invitations/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the invitation of a link
         * @description For the person who has the link, before accepting. A link that is unknown, used, withdrawn or expired is a 404. Where `allows_new_account` is false, accepting takes an account. `email` is shown to the holder of a mailed link alone.
         *
         *     No credential is needed.
         */
        get: operations["invitations_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invitations/{token}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the invitation of a link
         * @description As a signed-in browser without a body; or, to create an account, with `name`, `email` and `password`, and then sign in. An address that has an account must sign in to accept. A link works once. Where the operator lets invitations make no accounts: 403. When the person who sent it can no longer grant the role: 409.
         *
         *     No credential is needed; a session acts as its user.
         */
        post: operations["invitations_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invitations/look-up": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Look up the invitation of a link
         * @description The same as `GET /invitations/{token}`, with the token in the body, where no log of a proxy keeps it.
         *
         *     No credential is needed.
         */
        post: operations["invitations_lookUp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept the invitation of a link by its token
         * @description The same as `POST /invitations/{token}/accept`, with the token in the body.
         *
         *     No credential is needed; a session acts as its user.
         */
        post: operations["invitations_acceptByToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/invitations/{id}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Accept an invitation to your e-mail address
         * @description `GET /user` lists them. When the person who sent it can no longer grant the role: 409.
         *
         *     Requires the session of a browser.
         */
        post: operations["user_acceptInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/user/invitations/{id}/decline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decline an invitation to your e-mail address
         * @description Requires the session of a browser.
         */
        post: operations["user_declineInvitation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description Members see their own tokens, owners and admins those of every member. The list never contains plaintext tokens. Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["tokens_list"];
        put?: never;
        /**
         * Mint a token
         * @description `meta.plaintext_token` is shown only in this response. The request repeated with its `Idempotency-Key` is a 409 whose `details.created_id` names the token: revoke it if the plaintext is lost.
         *
         *     Requires the ability `write`. Every role may call it.
         */
        post: operations["tokens_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/tokens/{tokenId}": {
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
         * Revoke a token
         * @description After the response the token is rejected everywhere. With `cascade=true` so are the tokens that it minted, and the tokens that those minted; that works for a token that has been revoked already, too.
         *
         *     Requires the ability `write`. Every role may call it.
         */
        delete: operations["tokens_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/tokens/{tokenId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List links
         * @description A `search` finds links by the beginnings of words of their title, destination, code and earlier codes; it ignores case and accents, and everything but letters and digits. The `total` of a search, a campaign, `updated_since` or several filters is counted up to 10,000; `meta.truncated` is true when more match, and `links.next` leads to all of them. `updated_since` lists items that changed at that time or later. To follow changes, repeat the request with a time one minute before your last request, because a change becomes visible a moment after its time. Scans and changes of its tags do not change a link. A deleted link is not listed; the webhook `link.deleted` reports it. To read all pages while items are created, follow `meta.next_cursor`: new items do not shift the pages. A list that takes the database too long to read is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["links_list"];
        put?: never;
        /**
         * Create a link
         * @description The destination is an http or https URL without credentials, with at most 2,048 characters when percent-encoded. Its host must contain no percent-encoding and no invisible characters. Visitors are sent to its normalized form, with up to 256 of their own parameters, 8 KiB in total. Texts are stored in NFC without surrounding spaces, and as `null` when they have no visible character. Control characters and invisible characters are rejected, except within emoji and in scripts that need them. The campaign tag cannot be `all`, which means every campaign in filters. Short codes ignore case: `Spring` and `spring` are the same code. The final URL has the parameters of the destination in their order, followed by the others. Each of the `utm_defaults` replaces the destination's parameter of that name. Then the `query_policy` decides about the visitor's parameters: `append` adds them, but replaces only the five UTM parameters, and a UTM parameter without a value (`?utm_source`) empties the default; `override` replaces each of the same name; `drop` removes them. A change reaches visitors shortly after the response: within 25 ms in the median and 250 ms in 99 of 100 cases, measured on a busy machine with two cores. Until then, a new code may answer 404. Beyond the quota of active links: 422 whose `details.reason` is `quota_exceeded`, with `quota`, `resource`, `limit` and `current`.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["links_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export links as CSV
         * @description The rows and their order are those of the list with the same filters. A cell that a spreadsheet might take for a formula has a `'` in front. An import accepts the file unchanged, up to 10,000 rows: it reads the columns that a link can be created with, and ignores `id`, `short_url`, `scans_count` and the times. Each export is recorded in the audit log.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["links_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a link
         * @description Requires the ability `read`. Every role may call it.
         */
        get: operations["links_show"];
        put?: never;
        post?: never;
        /**
         * Delete a link
         * @description Its short code, and its earlier codes, are never given to another workspace; the same workspace may use them again. A change reaches visitors shortly after the response: within 25 ms in the median and 250 ms in 99 of 100 cases, measured on a busy machine with two cores. Until then, a new code may answer 404.
         *
         *     Requires the ability `write`. Requires the role owner.
         */
        delete: operations["links_delete"];
        options?: never;
        head?: never;
        /**
         * Change a link
         * @description `utm_defaults` is merged by key; a key set to `null` is cleared, and `utm_defaults: null` clears all. A template then sets its values, except those that the request sets. Reactivating counts toward the quota. The short code is frozen after the first scan. A link also keeps the codes that it had before; no other link gets them. A change reaches visitors shortly after the response: within 25 ms in the median and 250 ms in 99 of 100 cases, measured on a busy machine with two cores. Until then, a new code may answer 404.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        patch: operations["links_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change many links
         * @description Each id gets one result, in the order of the ids: its `status` and `error` are those of the route for one item, as if the ids were sent one after the other. An id that does not exist is a 404 in its result. `delete` needs the role of that route. All changes take effect together, each with its own event and audit entry; a request with an invalid field changes nothing. A change reaches visitors shortly after the response: within 25 ms in the median and 250 ms in 99 of 100 cases, measured on a busy machine with two cores. Until then, a new code may answer 404.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["links_bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import links
         * @description At most 10,000 rows and 10 MB, as JSON or CSV (separated with commas, semicolons or tabs; the first line names the columns; `tag_ids` are separated with semicolons or commas). The file of an export of links is accepted unchanged. Each row follows the rules of the body of a single create. A dry run changes nothing and reports what would happen to every row; its `options` always show it. Poll the progress at the `Location`, and read the result of each row at `rows`. A workspace has at most 20 unfinished imports; further ones get 422 as for a quota, with the resource `unfinished_imports`.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["imports_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List imports
         * @description Newest first, without their errors. An import is kept for 90 days after its end, and the newest 200 of a workspace.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["imports_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the progress of an import
         * @description `errors` holds the first 1,000 errors. When there are more, `meta.truncated` is true and `meta.rows_url` lists every row.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["imports_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/imports/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/imports/{id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the results of the rows of an import
         * @description One result for each processed row, in the order of the rows: use it to match your records with the links. `outcome=failed` lists all errors. A row that matches a link and changes none of its fields is `unchanged`. A dry run has no `link_id` and no generated code. Results are kept until `rows_kept_until` of the import, 30 days; after that, the response is 404.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["imports_rows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/imports/{id}/rows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List folders
         * @description Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["folders_list"];
        put?: never;
        /**
         * Create a folder
         * @description Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["folders_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/folders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a folder
         * @description Requires the ability `read`. Every role may call it.
         */
        get: operations["folders_show"];
        put?: never;
        post?: never;
        /**
         * Delete a folder
         * @description Its links stay.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        delete: operations["folders_delete"];
        options?: never;
        head?: never;
        /**
         * Change a folder
         * @description Requires the ability `write`. Requires the role owner, admin or editor.
         */
        patch: operations["folders_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/folders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tags
         * @description Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["tags_list"];
        put?: never;
        /**
         * Create a tag
         * @description Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["tags_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a tag
         * @description Requires the ability `read`. Every role may call it.
         */
        get: operations["tags_show"];
        put?: never;
        post?: never;
        /**
         * Delete a tag
         * @description Its links stay.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        delete: operations["tags_delete"];
        options?: never;
        head?: never;
        /**
         * Change a tag
         * @description Requires the ability `write`. Requires the role owner, admin or editor.
         */
        patch: operations["tags_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/tags/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/utm-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List UTM templates
         * @description Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["utm_templates_list"];
        put?: never;
        /**
         * Create a UTM template
         * @description Requires the ability `write`. Requires the role owner, admin or editor.
         */
        post: operations["utm_templates_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/utm-templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/utm-templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a UTM template
         * @description Requires the ability `read`. Every role may call it.
         */
        get: operations["utm_templates_show"];
        put?: never;
        post?: never;
        /**
         * Delete a UTM template
         * @description Links that were created with it keep their values.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        delete: operations["utm_templates_delete"];
        options?: never;
        head?: never;
        /**
         * Change a UTM template
         * @description Links that were created with it keep their values.
         *
         *     Requires the ability `write`. Requires the role owner, admin or editor.
         */
        patch: operations["utm_templates_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/utm-templates/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List conversions
         * @description Newest first unless `sort` says otherwise. Pages by number end after 100,000 conversions; `meta.truncated` is true when there are more, and `cursor` reads them all. `updated_since` lists items that changed at that time or later. To follow changes, repeat the request with a time one minute before your last request, because a change becomes visible a moment after its time. To read all pages while items are created, follow `meta.next_cursor`: new items do not shift the pages. A list that takes the database too long to read is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["conversions_list"];
        put?: never;
        /**
         * Record a conversion
         * @description Name the link by its `id`, or by its current or an earlier `short_code`. An `external_id` is unique for each `source`: a repeated one gets 200 with the first record, and sends no second webhook. While the link cannot be looked up, the response is 202 with `status: pending`. The conversion is recorded later, or `rejected` if its link does not exist; the list of conversions shows which. A rejected one can be sent again with its `external_id`.
         *
         *     Requires the ability `write`. Every role may call it.
         */
        post: operations["conversions_record"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/conversions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/links/{id}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw the QR code of a link
         * @description The code leads to `/q/{short_code}`, whose scans count as `qr`.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["links_qr"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/links/{id}/qr": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize scans and conversions
         * @description All filters must match. Each takes several values, separated by commas; a leading `!` excludes them: `country=DE,AT&browser=!Safari`. Escape a comma, a `!` or a backslash in a value with a backslash. A value that no scan has matches nothing. Summary, breakdowns, scans and export of one selection agree. A request that would read or keep too much is a 422; `details.narrow` says how to narrow it. The trend has a point for each hour, day, week or month, also for those without scans; on a day on which clocks change it has 23 or 25 hours. `compare` adds `kpis.previous`, and `previous` to every point: the figures of the same days or hours of the earlier range, by position or, with `previous_year`, by date. A week or month cut by the range is compared with the same number of days. The points add up to `kpis.previous`, except for an hour that the clocks skip in the later range. 29 February counts with the 28th when it is compared with a year without one. In a leap year it is compared with nothing, unless the range begins on it. The plan limits how long scans are kept. `rows_kept_from` is the first day (UTC) whose scans are listed and counted, or `null` while all scans are kept; earlier days have no scans.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/analytics/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List scans
         * @description All filters must match. Each takes several values, separated by commas; a leading `!` excludes them: `country=DE,AT&browser=!Safari`. Escape a comma, a `!` or a backslash in a value with a backslash. A value that no scan has matches nothing. Summary, breakdowns, scans and export of one selection agree. A request that would read or keep too much is a 422; `details.narrow` says how to narrow it. The plan limits how long scans are kept. `rows_kept_from` is the first day (UTC) whose scans are listed and counted, or `null` while all scans are kept; earlier days have no scans.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_scans"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/analytics/scans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export scans as CSV
         * @description Each export is recorded in the audit log. The header `X-Rows-Kept-From` is the first day (UTC) whose rows are kept; it is absent while all rows are kept.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/analytics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rank scans by a dimension
         * @description The values with the most scans, up to `limit`. With `meta.truncated` there are more values: raise `limit`, up to 100, or narrow the request by a filter or a shorter range. All filters must match. Each takes several values, separated by commas; a leading `!` excludes them: `country=DE,AT&browser=!Safari`. Escape a comma, a `!` or a backslash in a value with a backslash. A value that no scan has matches nothing. Summary, breakdowns, scans and export of one selection agree. A request that would read or keep too much is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_breakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/analytics/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/breakdowns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rank scans by several dimensions
         * @description Counts as one request, however many dimensions. The values with the most scans, up to `limit`. With `meta.truncated` there are more values: raise `limit`, up to 100, or narrow the request by a filter or a shorter range. All filters must match. Each takes several values, separated by commas; a leading `!` excludes them: `country=DE,AT&browser=!Safari`. Escape a comma, a `!` or a backslash in a value with a backslash. A value that no scan has matches nothing. Summary, breakdowns, scans and export of one selection agree. A request that would read or keep too much is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_breakdowns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/conversions/breakdowns": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Rank conversions by several dimensions
         * @description Counts as one request, however many dimensions. The values with the most conversions, up to `limit`, each with the sums of its conversions by currency. The rows of a dimension add up to the conversions and sums of the summary. All filters must match. Each takes several values, separated by commas; a leading `!` excludes them: `campaign=spring,summer&source=!app`. Escape a comma, a `!` or a backslash in a value with a backslash. A filter that conversions do not have, such as `country`, is a 422. Conversions are kept however long the plan keeps scans. With `meta.truncated` there are more values: raise `limit`, up to 100, or narrow the request. A request that would read or keep too much is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_conversion_breakdowns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the scans of links by day
         * @description For each id, the scans of each of the last days, today last; a day without scans has 0, and so has every day of an id that does not exist. Counts as one request, however many ids. For other filters and figures, use the summary and the breakdowns. The plan limits how long scans are kept. `rows_kept_from` is the first day (UTC) whose scans are listed and counted, or `null` while all scans are kept; earlier days have no scans.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_links"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/analytics/filters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the filter values of scans
         * @description One response has at most 1,000 links and 1,000 campaigns; the first response has the most recently scanned links. With `meta.truncated` there are more: repeat the request with `cursor` set to `meta.next_cursor`, until it is `null`. No link is omitted; a link that is scanned in the meantime may appear twice. A search that takes the database too long is a 422 with `details.narrow`.
         *
         *     Requires the ability `read`. Requires the role owner, admin or analyst.
         */
        get: operations["analytics_filters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/analytics/filters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["webhooks_list"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description `meta.signing_secret` is shown only in this response.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a webhook endpoint
         * @description Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["webhooks_show"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint and its delivery log
         * @description A `read_only` token of an owner or admin is enough.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        delete: operations["webhooks_delete"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description `rotate_secret: true` creates a new `meta.signing_secret`; both secrets sign for 24 hours.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        patch: operations["webhooks_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event
         * @description Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["webhooks_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List delivery attempts
         * @description Newest first by `created_at`, to which `from` and `to` also refer. `meta.truncated` is true when more than 100,000 attempts match: use `to` to reach the older ones. An attempt is kept for 30 days. A list that takes the database too long to read is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["webhooks_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a delivery
         * @description Contains the payload that every attempt sends and, for each attempt, the headers and the first kilobyte of the response if it is text. Values that look like secrets are replaced with `[redacted]`. `delivery` is the id of the delivery (`dlv_…`) or of one of its attempts (`att_…`).
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["webhooks_delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver the events of a period again
         * @description Repeats every delivery whose event occurred between `from` and `to`, delivered or not, except test events. The response contains their number; they are sent in the background, between new events. More than 10,000 get 422, and so do those that take more than 10 seconds to count: replay a shorter period. A second replay of the endpoint while one is being scheduled gets 409.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["webhooks_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver an event again
         * @description `delivery` is the id of a delivery (`dlv_…`) or of one of its attempts (`att_…`).
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["webhooks_retry_delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/webhooks/{id}/deliveries/{delivery}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List custom domains
         * @description Without `page` and `per_page` the response contains the complete list, up to a maximum: `meta.truncated` is true when there are more items.
         *
         *     Requires the ability `read`. Every role may call it.
         */
        get: operations["domains_list"];
        put?: never;
        /**
         * Register a custom domain
         * @description The first check of its DNS records is queued.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["domains_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/domains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a custom domain
         * @description Requires the ability `read`. Every role may call it.
         */
        get: operations["domains_show"];
        put?: never;
        post?: never;
        /**
         * Remove a custom domain
         * @description Its links are served from the default host.
         *
         *     Requires the ability `write`. Requires the role owner or admin.
         */
        delete: operations["domains_delete"];
        options?: never;
        head?: never;
        /**
         * Change where unknown short codes lead
         * @description Requires the ability `write`. Requires the role owner or admin.
         */
        patch: operations["domains_update"];
        trace?: never;
    };
    "/api/workspaces/{workspace}/domains/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Queue a check of the DNS records
         * @description Requires the ability `write`. Requires the role owner or admin.
         */
        post: operations["domains_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/workspaces/{workspace}/domains/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/audit-logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List audit log entries
         * @description Newest first. Pages by number end after 100,000 entries; `meta.truncated` is true when there are more, and `cursor` reads them all. To read all pages while items are created, follow `meta.next_cursor`: new items do not shift the pages. A list that takes the database too long to read is a 422; `details.narrow` says how to narrow it.
         *
         *     Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["audit_logs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/audit-logs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export audit log entries as CSV
         * @description Each export is recorded in the audit log.
         *
         *     Requires the ability `read`. Requires the role owner or admin. Requires a plan with the entitlement `audit_logs.export`.
         */
        get: operations["audit_logs_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workspaces/{workspace}/audit-logs/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Verify the hash chain of the audit log
         * @description Requires the ability `read`. Requires the role owner or admin.
         */
        get: operations["audit_logs_verify"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Describe the API
         * @description This document.
         *
         *     No credential is needed.
         */
        get: operations["openapi_show"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "scan.logged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * scan.logged
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_scan_logged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "conversion.recorded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * conversion.recorded
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_conversion_recorded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.created": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.created
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_created"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.updated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.updated
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_updated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.archived": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.archived
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_archived"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.reactivated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.reactivated
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_reactivated"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.deleted
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_deleted"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "link.import_completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * link.import_completed
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_link_import_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "domain.verified": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * domain.verified
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_domain_verified"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "domain.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * domain.failed
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_domain_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "webhook.test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * webhook.test
         * @description Sent to the endpoints that have subscribed to it, signed as [Standard Webhooks](https://www.standardwebhooks.com) says.
         *     Anything but a 2xx within 15 s is tried again; the same event may come more than once, and events in any order.
         */
        post: operations["receive_webhook_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description Says what is wrong. A code keeps its meaning; new ones may be added.
         *     - `required`: The field is missing or empty.
         *     - `wrong_type`: The value has another type than `type`.
         *     - `repeated`: The parameter must be given once, without brackets.
         *     - `too_short`: The text has fewer than `min` characters.
         *     - `too_long`: The text has more than `max` characters.
         *     - `too_few`: The list has fewer than `min` entries.
         *     - `too_many`: There are more than `max` entries.
         *     - `too_small`: The number is below `min`.
         *     - `too_large`: The number, or the size in bytes, is above `max`.
         *     - `too_deep`: The JSON is nested deeper than `max` levels.
         *     - `out_of_range`: The date or time is not in the range that the message states.
         *     - `range_invalid`: The range ends before it begins.
         *     - `range_too_long`: The range has more than `max` days.
         *     - `not_allowed`: The value is none of the allowed `values`.
         *     - `format_invalid`: The value does not have the form that the message describes.
         *     - `email_invalid`: The value is not an e-mail address.
         *     - `url_invalid`: The value is not an acceptable http or https URL.
         *     - `time_invalid`: The value is not a date or time of the form that the message describes.
         *     - `cursor_invalid`: The cursor is not a `next_cursor` of this list with these parameters.
         *     - `characters_invalid`: The text has control characters, invisible ones, or unpaired surrogates.
         *     - `reserved`: The value is reserved.
         *     - `taken`: Another item has this value already.
         *     - `taken_before`: The short code is an earlier one of another link, and still leads there.
         *     - `unknown_field`: The operation has no such field. `nearest` is the one that is most like it.
         *     - `unknown_parameter`: The operation has no such parameter. `nearest` is the one that is most like it.
         *     - `unknown_column`: The import has no such column. `nearest` is the one that is most like it.
         *     - `known_columns`: Lists the `columns` that the import has; stands beside a problem with the columns.
         *     - `more_problems`: Counts the problems that are left out.
         *     - `does_not_exist`: The ids name nothing in this workspace; `ids` are the first of them.
         *     - `conflicting`: The field contradicts `with`, another one.
         *     - `incorrect`: The password or the code is wrong.
         *     - `too_common`: The password is one of the most common ones.
         *     - `contains_email`: The password is the e-mail address or its first part.
         *     - `link_unusable`: The link is invalid, has expired or has been used.
         *     - `already_member`: The user is a member of the workspace already.
         *     - `already_invited`: The address has an open invitation already.
         *     - `second_factor_missing`: Your own account has no second factor yet.
         *     - `account_unusable`: The account or address cannot accept this invitation.
         *     - `url_not_allowed`: The URL leads to a place that is not allowed here.
         *     - `unchangeable`: The field cannot be changed any more.
         *     - `image_invalid`: The image is broken, too large or shows nothing.
         *     - `contrast_too_low`: The foreground is not clearly darker than the background.
         *     - `csv_invalid`: The text is not readable CSV. `line` is the first line at fault, where one is.
         *     - `too_slow`: The request takes too long to answer. The message says how to narrow it.
         *     - `quota_exceeded`: The `limit` of the `resource` is reached.
         * @enum {string}
         */
        ProblemCode: "required" | "wrong_type" | "repeated" | "too_short" | "too_long" | "too_few" | "too_many" | "too_small" | "too_large" | "too_deep" | "out_of_range" | "range_invalid" | "range_too_long" | "not_allowed" | "format_invalid" | "email_invalid" | "url_invalid" | "time_invalid" | "cursor_invalid" | "characters_invalid" | "reserved" | "taken" | "taken_before" | "unknown_field" | "unknown_parameter" | "unknown_column" | "known_columns" | "more_problems" | "does_not_exist" | "conflicting" | "incorrect" | "too_common" | "contains_email" | "link_unusable" | "already_member" | "already_invited" | "second_factor_missing" | "account_unusable" | "url_not_allowed" | "unchangeable" | "image_invalid" | "contrast_too_low" | "csv_invalid" | "too_slow" | "quota_exceeded";
        Conversion: {
            id: string;
            link_id: string | null;
            short_code: string | null;
            source: string;
            meta: Record<string, never> | null;
            value: number | null;
            currency: string | null;
            external_id: string | null;
            /** Format: date-time */
            occurred_at: string;
            /** Format: date-time */
            recorded_at: string;
            /** @enum {string} */
            status: "recorded" | "pending" | "rejected";
            rejection: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        Scan: {
            id: string;
            link_id: string;
            short_code: string;
            /** Format: date-time */
            scanned_at: string;
            /** @enum {string} */
            trigger: "link" | "qr";
            country: string;
            region: string;
            city: string;
            /** @enum {string} */
            device: "desktop" | "mobile" | "tablet" | "other";
            browser: string;
            os: string;
            language: string;
            referrer: string;
            campaign: string | null;
            is_unique: boolean;
            is_bot: boolean;
        };
        ErrorResponse: {
            error: components["schemas"]["Error"];
        };
        Error: {
            /** @enum {string} */
            code: "bad_request" | "unauthenticated" | "forbidden" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "precondition_failed" | "payload_too_large" | "unsupported_media_type" | "validation_failed" | "rate_limit_exceeded" | "server_error" | "service_unavailable";
            /** @description For a 422, the first problem and how many more there are. */
            message: string;
            details?: {
                [key: string]: unknown;
            };
            /** @description On a 422: every message of `details` once more, with a stable code. */
            problems?: components["schemas"]["Problem"][];
        };
        Problem: {
            /** @description The path of the field in the body, or the name of the parameter. */
            field: string;
            code: components["schemas"]["ProblemCode"];
            /** @description The values that the message contains, such as `max`. */
            params?: {
                [key: string]: unknown;
            };
            message: string;
        };
        UnversionedErrorResponse: {
            message: string;
            errors?: {
                [key: string]: string[];
            };
            error: components["schemas"]["Error"];
        };
        AuditEntry: {
            id: string;
            action: string;
            actor: {
                /** @enum {string} */
                type: "user" | "token" | "system";
                id: string | null;
                name: string | null;
                email: string | null;
                token_id: string | null;
                token: {
                    id: string;
                    name: string | null;
                } | null;
            };
            target: {
                type: string;
                id: string;
                label: string | null;
            } | null;
            changes: {
                [key: string]: {
                    from: unknown;
                    to: unknown;
                };
            };
            ip_address: string | null;
            request_id: string | null;
            /** Format: date-time */
            created_at: string;
            /** @constant */
            damaged?: true;
            /** @constant */
            redacted?: true;
        };
        AuditVerdict: {
            valid: boolean;
            /**
             * @description That of `first_break`, only while the log is not valid.
             * @enum {string}
             */
            reason?: "missing" | "changed" | "unlinked" | "unexpected" | "no_end" | "unsigned_end" | "rolled_back";
            checked: number;
            first_break: {
                seq: number | null;
                id: string | null;
                /** @enum {string} */
                reason: "missing" | "changed" | "unlinked" | "unexpected" | "no_end" | "unsigned_end" | "rolled_back";
            } | null;
        };
        Breakdown: {
            data: {
                value: string;
                scans: number;
                unique_visitors: number;
                share: number;
                short_code?: string | null;
                title?: string | null;
            }[];
            meta: {
                /** @enum {string} */
                dimension: "country" | "city" | "region" | "device" | "browser" | "os" | "language" | "referrer" | "continent" | "campaign" | "hour" | "weekday" | "link" | "trigger" | "domain" | "tag" | "folder";
                /** @description Scans of all values, also of those beyond the limit; each `share` is a part of this number. */
                total: number;
                limit: number;
                /** @description There are more values than `limit`. */
                truncated: boolean;
                /** @description Scans before this UTC day are neither listed nor counted any more; `null` while all are kept. */
                rows_kept_from: string | null;
                unique_visitors_estimated: boolean;
            };
        };
        Breakdowns: {
            data: {
                country?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                city?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                region?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                device?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                browser?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                os?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                language?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                referrer?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                continent?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                campaign?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                hour?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                weekday?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                link?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                    short_code: string | null;
                    title: string | null;
                }[];
                trigger?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                domain?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                tag?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
                folder?: {
                    value: string;
                    scans: number;
                    unique_visitors: number;
                    share: number;
                }[];
            };
            meta: {
                /** Format: date */
                start_date: string;
                /** Format: date */
                end_date: string;
                timezone: string;
                filters: {
                    [key: string]: unknown;
                };
                /** @description The figures include every scan that analytics has received up to this time. `null` while the history of the workspace is being reloaded. */
                data_as_of: string | null;
                /** @description Scans before this UTC day are neither listed nor counted any more; `null` while all are kept. */
                rows_kept_from: string | null;
                /** @description Whether `unique_visitors` are estimated, within 2 %: above five million scans in the range, or when an exact count would need too much memory. */
                unique_visitors_estimated: boolean;
                /** @description Scans of all values, also of those beyond the limit; each `share` is a part of this number. */
                total: number;
                limit: number;
                truncated: boolean;
                /** @description Dimensions with more values than `limit`. */
                truncated_dimensions: ("country" | "city" | "region" | "device" | "browser" | "os" | "language" | "referrer" | "continent" | "campaign" | "hour" | "weekday" | "link" | "trigger" | "domain" | "tag" | "folder")[];
            };
        };
        ConversionBreakdowns: {
            data: {
                link?: {
                    value: string;
                    conversions: number;
                    share: number;
                    /** @description The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most conversions first. A conversion without a `value` is in no sum. */
                    conversion_values: {
                        currency: string;
                        value: number;
                    }[];
                    short_code: string | null;
                    title: string | null;
                }[];
                campaign?: {
                    value: string;
                    conversions: number;
                    share: number;
                    /** @description The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most conversions first. A conversion without a `value` is in no sum. */
                    conversion_values: {
                        currency: string;
                        value: number;
                    }[];
                }[];
                source?: {
                    value: string;
                    conversions: number;
                    share: number;
                    /** @description The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most conversions first. A conversion without a `value` is in no sum. */
                    conversion_values: {
                        currency: string;
                        value: number;
                    }[];
                }[];
            };
            meta: {
                /** Format: date */
                start_date: string;
                /** Format: date */
                end_date: string;
                timezone: string;
                filters: {
                    [key: string]: unknown;
                };
                /** @description The figures include every conversion that analytics has recorded up to this time. `null` while the history of the workspace is being reloaded. */
                data_as_of: string | null;
                /** @description Conversions of all values, also of those beyond the limit; each `share` is a part of this number. */
                total: number;
                limit: number;
                truncated: boolean;
                /** @description Dimensions with more values than `limit`. */
                truncated_dimensions: ("link" | "campaign" | "source")[];
                /** @description A list of sums has more than 100 currencies and ends there. */
                currencies_truncated: boolean;
            };
        };
        Delivery: {
            id: string;
            event_id: string;
            event_type: string;
            link_id: string | null;
            /** @enum {string} */
            status: "succeeded" | "failed" | "pending";
            payload: {
                [key: string]: unknown;
            } | null;
            attempts: {
                id: string;
                delivery_id: string;
                event_id: string;
                event_type: string;
                attempt_number: number;
                /** @enum {string} */
                status: "succeeded" | "failed" | "pending";
                status_code: number | null;
                error: {
                    /** @enum {string} */
                    type: "http_error" | "timeout" | "dns" | "tls" | "connection" | "blocked";
                    message: string;
                } | null;
                duration_ms: number | null;
                /** Format: date-time */
                created_at: string;
                attempted_at: string | null;
                next_retry_at: string | null;
                response: {
                    headers: {
                        [key: string]: string;
                    };
                    body: string | null;
                    /** @description `not text` where there was a body that is not shown; absent in rows of 0.1.0. */
                    body_omitted?: "not text" | null;
                    is_truncated: boolean;
                } | null;
            }[];
        };
        DeliveryAttempt: {
            id: string;
            delivery_id: string;
            event_id: string;
            event_type: string;
            attempt_number: number;
            /** @enum {string} */
            status: "succeeded" | "failed" | "pending";
            status_code: number | null;
            error: {
                /** @enum {string} */
                type: "http_error" | "timeout" | "dns" | "tls" | "connection" | "blocked";
                message: string;
            } | null;
            duration_ms: number | null;
            /** Format: date-time */
            created_at: string;
            attempted_at: string | null;
            next_retry_at: string | null;
        };
        DeliveryRow: {
            id: string;
            delivery_id: string;
            event_id: string;
            event_type: string;
            attempt_number: number;
            /** @enum {string} */
            status: "succeeded" | "failed" | "pending";
            status_code: number | null;
            error: {
                /** @enum {string} */
                type: "http_error" | "timeout" | "dns" | "tls" | "connection" | "blocked";
                message: string;
            } | null;
            duration_ms: number | null;
            /** Format: date-time */
            created_at: string;
            attempted_at: string | null;
            next_retry_at: string | null;
            link_id: string | null;
        };
        Domain: {
            id: string;
            hostname: string;
            /** @enum {string} */
            status: "pending" | "verifying" | "verified" | "degraded" | "failed";
            dns: {
                txt: {
                    name: string;
                    value: string;
                };
                cname: {
                    name: string;
                    target: string;
                };
            };
            not_found_url: string | null;
            last_checked_at: string | null;
            last_error: string | null;
            verified_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        FilterValues: {
            data: {
                links: {
                    id: string;
                    short_code: string;
                    title: string | null;
                }[];
                campaigns: string[];
            };
            meta: {
                truncated: boolean;
                next_cursor: string | null;
            };
        };
        Folder: {
            id: string;
            name: string;
            description: string | null;
            color: string | null;
            links_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ImportRow: {
            row: number;
            /** @enum {string} */
            outcome: "created" | "updated" | "unchanged" | "skipped" | "failed";
            link_id: string | null;
            short_code: string | null;
            short_url: string | null;
            errors: {
                field: string | null;
                /** @enum {string} */
                code: "validation_failed" | "duplicate" | "server_error";
                message: string;
                /** @description Says what is wrong with the field. Absent for a row as a whole, and for rows of earlier versions. */
                problem_code?: components["schemas"]["ProblemCode"];
                /** @description The values that the message contains, such as `max`. */
                params?: {
                    [key: string]: unknown;
                };
                details?: {
                    /** @constant */
                    reason: "quota_exceeded";
                    quota: string[];
                    resource: string;
                    limit: number;
                    current: number;
                };
            }[];
        };
        ImportSummary: {
            id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed";
            options: {
                /** @enum {string} */
                on_duplicate: "skip" | "update" | "fail";
                dry_run: boolean;
            };
            total_rows: number;
            processed_rows: number;
            created_count: number;
            updated_count: number;
            unchanged_count: number;
            skipped_count: number;
            failed_count: number;
            rows_kept_until: string | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
        };
        Link: {
            id: string;
            short_code: string;
            short_url: string;
            title: string | null;
            destination_url: string;
            campaign_tag: string | null;
            utm_defaults: {
                utm_source: string | null;
                utm_medium: string | null;
                utm_campaign: string | null;
                utm_term: string | null;
                utm_content: string | null;
            };
            /** @enum {string} */
            query_policy: "append" | "override" | "drop";
            /** @enum {string} */
            status: "active" | "archived";
            scans_count: number;
            last_scanned_at: string | null;
            created_by: string | null;
            archived_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            domain: {
                id: string;
                hostname: string;
            } | null;
            folder_id: string | null;
            tags: {
                id: string;
                name: string;
                color: string | null;
            }[];
        };
        LinkImport: {
            id: string;
            /** @enum {string} */
            status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed";
            options: {
                /** @enum {string} */
                on_duplicate: "skip" | "update" | "fail";
                dry_run: boolean;
            };
            total_rows: number;
            processed_rows: number;
            created_count: number;
            updated_count: number;
            unchanged_count: number;
            skipped_count: number;
            failed_count: number;
            errors: {
                row: number;
                field: string | null;
                /** @enum {string} */
                code: "validation_failed" | "duplicate" | "server_error";
                message: string;
                /** @description Says what is wrong with the field. Absent for a row as a whole, and for rows of earlier versions. */
                problem_code?: components["schemas"]["ProblemCode"];
                /** @description The values that the message contains, such as `max`. */
                params?: {
                    [key: string]: unknown;
                };
                details?: {
                    /** @constant */
                    reason: "quota_exceeded";
                    quota: string[];
                    resource: string;
                    limit: number;
                    current: number;
                };
            }[];
            rows_kept_until: string | null;
            /** Format: date-time */
            created_at: string;
            started_at: string | null;
            finished_at: string | null;
        };
        Member: {
            user: {
                id: string;
                name: string;
                email: string;
            };
            /** @enum {string} */
            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Summary: {
            data: {
                kpis: {
                    total_scans: number;
                    unique_visitors: number;
                    /** @description `null` under a filter that a conversion does not have: all but links, campaigns, domains, tags and folders. */
                    conversions: number | null;
                    /** @description Conversions per scan: 0 where there is no scan, `null` where `conversions` is. */
                    conversion_rate: number | null;
                    /** @description The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most conversions first. A conversion without a `value` is in no sum. `null` where `conversions` is. */
                    conversion_values: {
                        currency: string;
                        value: number;
                    }[] | null;
                    bot_scans: number;
                    active_links: number;
                    /** @description With `compare`: the same figures of the range that is compared with. */
                    previous?: {
                        total_scans: number;
                        unique_visitors: number;
                        /** @description `null` under a filter that a conversion does not have: all but links, campaigns, domains, tags and folders. */
                        conversions: number | null;
                        /** @description Conversions per scan: 0 where there is no scan, `null` where `conversions` is. */
                        conversion_rate: number | null;
                        /** @description The sum of the `value` of the conversions in each currency, added up in decimal (0.1 and 0.2 are 0.3); the currency of the most conversions first. A conversion without a `value` is in no sum. `null` where `conversions` is. */
                        conversion_values: {
                            currency: string;
                            value: number;
                        }[] | null;
                        bot_scans: number;
                    };
                };
                trend: {
                    /** @description `null` for a point that begins after `data_as_of`. */
                    scans: number | null;
                    /** @description `null` for a point that begins after `data_as_of`. */
                    unique_visitors: number | null;
                    conversions: number | null;
                    /**
                     * Format: date
                     * @description The local date on which the point begins; a week or month may begin before the range.
                     */
                    date: string;
                    /**
                     * Format: date-time
                     * @description The time at which the point begins.
                     */
                    starts_at: string;
                    /** @description With `compare`: the figures of the days or hours that this point is compared with, if there are any; `date` and `starts_at` are those of the first of them. `null` for a point that begins after `data_as_of`. */
                    previous?: {
                        scans: number;
                        unique_visitors: number;
                        conversions: number | null;
                        /** Format: date */
                        date: string;
                        /** Format: date-time */
                        starts_at: string;
                    } | null;
                }[];
                devices: {
                    /** @enum {string} */
                    device: "desktop" | "mobile" | "tablet" | "other";
                    scans: number;
                    share: number;
                }[];
            };
            meta: {
                /** Format: date */
                start_date: string;
                /** Format: date */
                end_date: string;
                timezone: string;
                filters: {
                    [key: string]: unknown;
                };
                /** @description The figures include every scan that analytics has received up to this time. `null` while the history of the workspace is being reloaded. */
                data_as_of: string | null;
                /** @description Scans before this UTC day are neither listed nor counted any more; `null` while all are kept. */
                rows_kept_from: string | null;
                /** @description Whether `unique_visitors` are estimated, within 2 %: above five million scans in the range, or when an exact count would need too much memory. */
                unique_visitors_estimated: boolean;
                /** @enum {string} */
                interval: "hour" | "day" | "week" | "month";
                /** @description The range of `compare`. Days before `rows_kept_from` have no scans in it. */
                compared_with: {
                    /** @enum {string} */
                    compare: "previous_period" | "previous_year";
                    /** Format: date */
                    start_date: string;
                    /** Format: date */
                    end_date: string;
                } | null;
                /** @description A list of sums has more than 100 currencies and ends there. */
                currencies_truncated: boolean;
            };
        };
        Tag: {
            id: string;
            name: string;
            color: string | null;
            links_count: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Token: {
            id: string;
            name: string;
            user: {
                id: string;
                name: string;
            };
            /** @description The token that minted this one; `null` for a token that a session or the operator minted. */
            created_by_token_id: string | null;
            /** @enum {string} */
            scope: "read_only" | "write_only" | "read_write";
            abilities: string[];
            token_prefix: string;
            last_used_at: string | null;
            expires_at: string | null;
            /** Format: date-time */
            created_at: string;
        };
        User: {
            id: string;
            name: string;
            email: string;
            /** Format: date-time */
            created_at: string;
            workspaces: {
                slug: string;
                name: string;
                /** @enum {string} */
                role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                /** @enum {string} */
                plan: "free" | "pro" | "business" | "enterprise";
            }[];
            /** @description The newest invitations to your e-mail address, for you to accept or decline; none for a token. */
            invitations: {
                id: string;
                workspace: {
                    slug: string;
                    name: string;
                };
                /** @enum {string} */
                role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                invited_by: {
                    name: string;
                };
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                expires_at: string;
            }[];
            token: {
                id: string;
                name: string;
                abilities: string[];
            } | null;
            /** @description Whether signing in takes a second factor. */
            totp_enabled: boolean;
            /** @description Whether the operator lets you create workspaces; false for a token. */
            can_create_workspace: boolean;
        };
        UtmTemplate: {
            id: string;
            name: string;
            description: string | null;
            utm_source: string | null;
            utm_medium: string | null;
            utm_campaign: string | null;
            utm_term: string | null;
            utm_content: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Webhook: {
            id: string;
            url: string;
            description: string | null;
            event_types: string[];
            enabled: boolean;
            /** @enum {string} */
            status: "healthy" | "failing" | "disabled";
            consecutive_failures: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        Workspace: {
            slug: string;
            name: string;
            /** @enum {string} */
            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
            /** @enum {string} */
            plan: "free" | "pro" | "business" | "enterprise";
            /** @description Whether members without a second factor have no access. Single sign-on counts as one. */
            require_two_factor: boolean;
            /** Format: date-time */
            created_at: string;
        };
    };
    responses: {
        /** @description `bad_request` */
        bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `bad_request` */
        uncounted_bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `bad_request` */
        unversioned_bad_request: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `unauthenticated` */
        unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `unauthenticated` */
        uncounted_unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `unauthenticated` */
        unversioned_unauthenticated: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `forbidden` */
        forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `forbidden` */
        uncounted_forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `forbidden` */
        unversioned_forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `not_found` */
        not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `not_found` */
        uncounted_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `not_found` */
        unversioned_not_found: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `request_timeout` */
        request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `request_timeout` */
        uncounted_request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `request_timeout` */
        unversioned_request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `conflict` */
        conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `conflict` */
        uncounted_conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `conflict` */
        unversioned_conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `precondition_failed` */
        precondition_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `precondition_failed` */
        uncounted_precondition_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `precondition_failed` */
        unversioned_precondition_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `payload_too_large` */
        payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `payload_too_large` */
        uncounted_payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `payload_too_large` */
        unversioned_payload_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `unsupported_media_type` */
        unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `unsupported_media_type` */
        uncounted_unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `unsupported_media_type` */
        unversioned_unsupported_media_type: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `validation_failed` */
        validation_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `validation_failed` */
        uncounted_validation_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `validation_failed` */
        unversioned_validation_failed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `rate_limit_exceeded` */
        rate_limit_exceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `rate_limit_exceeded` */
        uncounted_rate_limit_exceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `rate_limit_exceeded` */
        unversioned_rate_limit_exceeded: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `server_error` */
        server_error: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `server_error` */
        uncounted_server_error: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `server_error` */
        unversioned_server_error: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
        /** @description `service_unavailable` */
        service_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `service_unavailable` */
        uncounted_service_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ErrorResponse"];
            };
        };
        /** @description `service_unavailable` */
        unversioned_service_unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Preference-Applied": components["headers"]["Preference-Applied"];
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                Link: components["headers"]["Link"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["UnversionedErrorResponse"];
            };
        };
    };
    parameters: {
        /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
        Prefer: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names the request in logs and in the audit log. */
        "X-Request-Id": string;
        /** @description Since when the unversioned route is deprecated (RFC 9745). */
        Deprecation: string;
        /** @description From when on the unversioned route may be gone (RFC 8594); absent until that is known. */
        Sunset: string;
        /** @description The versioned route that succeeds this one. */
        Link: string;
        /** @description Where it can be fetched. */
        Location: string;
        /** @description The version of the item, for `If-Match` and `If-None-Match`. */
        ETag: string;
        /** @description The session. */
        "Set-Cookie": string;
        /** @description What every change of this session must send. Absent for a token. */
        "X-CSRF-Token": string;
        /** @description A name for the file. */
        "Content-Disposition": string;
        /** @description The preference that was honoured, e.g. `handling=lenient` (RFC 7240). */
        "Preference-Applied": string;
        /** @description `true` on a repeated answer. */
        "Idempotency-Replayed": string;
        /** @description Requests in how many seconds, e.g. `"workspace";q=120;w=60`. */
        "RateLimit-Policy": string;
        /** @description What is left, and for how many seconds, e.g. `"workspace";r=119;t=60`. */
        RateLimit: string;
        /** @description Requests in any minute. */
        "X-RateLimit-Limit": string;
        /** @description Requests that are left in this one. */
        "X-RateLimit-Remaining": string;
        /** @description The first day (UTC) whose rows are kept. Absent while all are. */
        "X-Rows-Kept-From": string;
        /** @description Whole seconds. */
        "Retry-After": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    user_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "X-CSRF-Token": components["headers"]["X-CSRF-Token"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "name": "Ada Lovelace",
                     *         "email": "ada@example.com",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "workspaces": [
                     *           {
                     *             "slug": "acme",
                     *             "name": "Acme",
                     *             "role": "owner",
                     *             "plan": "enterprise"
                     *           }
                     *         ],
                     *         "invitations": [],
                     *         "token": {
                     *           "id": "tok_01KG9R6D9E0F1G2H3J4K5M6N7P",
                     *           "name": "build server",
                     *           "abilities": [
                     *             "workspace:acme:read",
                     *             "workspace:acme:write"
                     *           ]
                     *         },
                     *         "totp_enabled": false,
                     *         "can_create_workspace": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "X-CSRF-Token": components["headers"]["X-CSRF-Token"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/json": {
                    name?: string;
                };
                /**
                 * @example {
                 *       "name": "Ada Lovelace"
                 *     }
                 */
                "application/merge-patch+json": {
                    name?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "name": "Ada Lovelace",
                     *         "email": "ada@example.com",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "workspaces": [
                     *           {
                     *             "slug": "acme",
                     *             "name": "Acme",
                     *             "role": "owner",
                     *             "plan": "enterprise"
                     *           }
                     *         ],
                     *         "invitations": [],
                     *         "token": null,
                     *         "totp_enabled": false,
                     *         "can_create_workspace": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current_password": "a long password",
                 *       "new_password": "a longer password",
                 *       "revoke_tokens": false
                 *     }
                 */
                "application/json": {
                    current_password: string;
                    new_password: string;
                    /**
                     * @description Also revokes all of your access tokens, in every workspace.
                     * @default false
                     */
                    revoke_tokens?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "ended_sessions": 2,
                     *         "revoked_tokens": 0
                     *       },
                     *       "meta": {
                     *         "live_tokens": 3
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            ended_sessions: number;
                            revoked_tokens: number;
                        };
                        meta: {
                            /** @description Your access tokens that still work, in all workspaces. */
                            live_tokens: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Zk3v0TqQ2m1x9bD4sYh7WcUe5aRj8nLpGf6iKoVtMzE",
                 *       "new_password": "a longer password",
                 *       "revoke_tokens": true
                 *     }
                 */
                "application/json": {
                    /** @description The part of the link behind `#`. */
                    token: string;
                    new_password: string;
                    /**
                     * @description Also revokes all of your access tokens, in every workspace.
                     * @default false
                     */
                    revoke_tokens?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "ended_sessions": 2,
                     *         "revoked_tokens": 3,
                     *         "totp_disabled": false,
                     *         "email_confirmed": false
                     *       },
                     *       "meta": {
                     *         "live_tokens": 0
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            ended_sessions: number;
                            revoked_tokens: number;
                            totp_disabled: boolean;
                            email_confirmed: boolean;
                        };
                        meta: {
                            /** @description Your access tokens that still work, in all workspaces. */
                            live_tokens: number;
                        };
                    };
                };
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            408: components["responses"]["uncounted_request_timeout"];
            409: components["responses"]["uncounted_conflict"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    user_requestPasswordReset: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com"
                 *     }
                 */
                "application/json": {
                    email: string;
                };
            };
        };
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            404: components["responses"]["uncounted_not_found"];
            408: components["responses"]["uncounted_request_timeout"];
            409: components["responses"]["uncounted_conflict"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    user_startTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "secret": "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
                     *         "otpauth_url": "otpauth://totp/Waymark%20(go.example.com):ada%40example.com?issuer=Waymark%20(go.example.com)&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description The secret in base32, to type into an authenticator app. */
                            secret: string;
                            /** @description The same as a URL, to show as a QR code. */
                            otpauth_url: string;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_disableTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "492039"
                 *     }
                 */
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "recovery_codes": [
                     *           "7k3m-2q9x-h4wd-p8rt",
                     *           "c5vz-9n2e-6y1b-j7sg"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            recovery_codes: string[];
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_list: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "ses_01KG9RGQ9R0S1T2V3W4X5Y6Z7A",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "last_seen_at": "2026-01-31T12:00:00.000Z",
                     *           "ip_address": "203.0.113.7",
                     *           "user_agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** Format: date-time */
                            created_at: string;
                            /**
                             * Format: date-time
                             * @description Up to a minute older than the last request of the session.
                             */
                            last_seen_at: string;
                            /** @description The address that the user signed in from. */
                            ip_address: string | null;
                            /** @description The browser that the user signed in with. */
                            user_agent: string | null;
                            /** @description Whether it is the session of this request. */
                            current: boolean;
                        }[];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_endOthers: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_end: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": {
                    email: string;
                    password: string;
                    /** @description The current code of the authenticator app. */
                    totp_code?: string;
                    /** @description One of the recovery codes; each works once. */
                    recovery_code?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "name": "Ada Lovelace",
                     *         "email": "ada@example.com",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "workspaces": [
                     *           {
                     *             "slug": "acme",
                     *             "name": "Acme",
                     *             "role": "owner",
                     *             "plan": "enterprise"
                     *           }
                     *         ],
                     *         "invitations": [],
                     *         "token": null,
                     *         "totp_enabled": false,
                     *         "can_create_workspace": true
                     *       },
                     *       "meta": {
                     *         "csrf_token": "mVt0c2gJ0l7X9Qw3"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["User"];
                        meta: {
                            csrf_token: string;
                        };
                    };
                };
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            408: components["responses"]["uncounted_request_timeout"];
            409: components["responses"]["uncounted_conflict"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    session_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_reauthenticate: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": {
                    password: string;
                };
            };
        };
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    session_methods: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "single_sign_on": true
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            /** @description Whether `GET /session/oidc` signs browsers in. */
                            single_sign_on: boolean;
                        };
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            408: components["responses"]["uncounted_request_timeout"];
            412: components["responses"]["uncounted_precondition_failed"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    session_startOidc: {
        parameters: {
            query?: {
                /** @description The path of this site to which the browser is finally sent; the console by default. */
                return_to?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is sent on. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            404: components["responses"]["uncounted_not_found"];
            408: components["responses"]["uncounted_request_timeout"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    session_finishOidc: {
        parameters: {
            query?: {
                /** @description The code of the provider. */
                code?: string;
                /** @description The state of the sign-in that the browser began. */
                state?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is sent on. */
            302: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    "Set-Cookie": components["headers"]["Set-Cookie"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            404: components["responses"]["uncounted_not_found"];
            408: components["responses"]["uncounted_request_timeout"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    workspaces_list: {
        parameters: {
            query?: {
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "slug": "acme",
                     *           "name": "Acme",
                     *           "role": "owner",
                     *           "plan": "enterprise",
                     *           "require_two_factor": false,
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Workspace"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    workspaces_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "slug": "acme",
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": {
                    slug: string;
                    name: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "slug": "acme",
                     *         "name": "Acme",
                     *         "role": "owner",
                     *         "plan": "enterprise",
                     *         "require_two_factor": false,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Workspace"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    workspaces_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "slug": "acme",
                     *         "name": "Acme",
                     *         "role": "owner",
                     *         "plan": "enterprise",
                     *         "require_two_factor": false,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "usage": {
                     *           "active_links": {
                     *             "used": 120,
                     *             "limit": null
                     *           },
                     *           "links": {
                     *             "used": 131,
                     *             "limit": 1000000
                     *           },
                     *           "folders": {
                     *             "used": 4,
                     *             "limit": 1000
                     *           },
                     *           "tags": {
                     *             "used": 12,
                     *             "limit": 1000
                     *           },
                     *           "utm_templates": {
                     *             "used": 2,
                     *             "limit": 500
                     *           },
                     *           "domains": {
                     *             "used": 1,
                     *             "limit": 1000
                     *           },
                     *           "webhooks": {
                     *             "used": 2,
                     *             "limit": 20
                     *           },
                     *           "members": {
                     *             "used": 5,
                     *             "limit": 500
                     *           },
                     *           "tokens": {
                     *             "used": 3,
                     *             "limit": 200
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            slug: string;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            /** @enum {string} */
                            plan: "free" | "pro" | "business" | "enterprise";
                            /** @description Whether members without a second factor have no access. Single sign-on counts as one. */
                            require_two_factor: boolean;
                            /** Format: date-time */
                            created_at: string;
                            usage: {
                                /** @description Links that are active. Only in the links deployment. `null` while the count is not known: ask again later. */
                                active_links?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Links, active and archived. Only in the links deployment. `null` while the count is not known: ask again later. */
                                links?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Folders. Only in the links deployment. `null` while the count is not known: ask again later. */
                                folders?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Tags. Only in the links deployment. `null` while the count is not known: ask again later. */
                                tags?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description UTM templates. Only in the links deployment. `null` while the count is not known: ask again later. */
                                utm_templates?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Custom domains. Only in the links deployment. `null` while the count is not known: ask again later. */
                                domains?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description QR codes that are active. Only in the QR codes deployment. `null` while the count is not known: ask again later. */
                                active_qr_codes?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description QR codes, active and archived. Only in the QR codes deployment. `null` while the count is not known: ask again later. */
                                qr_codes?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Webhooks. `null` while the count is not known: ask again later. */
                                webhooks: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Members. `null` while the count is not known: ask again later. */
                                members: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Access tokens that are not revoked. `null` while the count is not known: ask again later. */
                                tokens: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                            };
                        };
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    workspaces_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "acme"
                 *     }
                 */
                "application/json": {
                    confirm: string;
                };
            };
        };
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    workspaces_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "require_two_factor": true
                 *     }
                 */
                "application/json": {
                    name?: string;
                    require_two_factor?: boolean;
                };
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "require_two_factor": true
                 *     }
                 */
                "application/merge-patch+json": {
                    name?: string;
                    require_two_factor?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "slug": "acme",
                     *         "name": "Acme",
                     *         "role": "owner",
                     *         "plan": "enterprise",
                     *         "require_two_factor": false,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "usage": {
                     *           "active_links": {
                     *             "used": 120,
                     *             "limit": null
                     *           },
                     *           "links": {
                     *             "used": 131,
                     *             "limit": 1000000
                     *           },
                     *           "folders": {
                     *             "used": 4,
                     *             "limit": 1000
                     *           },
                     *           "tags": {
                     *             "used": 12,
                     *             "limit": 1000
                     *           },
                     *           "utm_templates": {
                     *             "used": 2,
                     *             "limit": 500
                     *           },
                     *           "domains": {
                     *             "used": 1,
                     *             "limit": 1000
                     *           },
                     *           "webhooks": {
                     *             "used": 2,
                     *             "limit": 20
                     *           },
                     *           "members": {
                     *             "used": 5,
                     *             "limit": 500
                     *           },
                     *           "tokens": {
                     *             "used": 3,
                     *             "limit": 200
                     *           }
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            slug: string;
                            name: string;
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            /** @enum {string} */
                            plan: "free" | "pro" | "business" | "enterprise";
                            /** @description Whether members without a second factor have no access. Single sign-on counts as one. */
                            require_two_factor: boolean;
                            /** Format: date-time */
                            created_at: string;
                            usage: {
                                /** @description Links that are active. Only in the links deployment. `null` while the count is not known: ask again later. */
                                active_links?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Links, active and archived. Only in the links deployment. `null` while the count is not known: ask again later. */
                                links?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Folders. Only in the links deployment. `null` while the count is not known: ask again later. */
                                folders?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Tags. Only in the links deployment. `null` while the count is not known: ask again later. */
                                tags?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description UTM templates. Only in the links deployment. `null` while the count is not known: ask again later. */
                                utm_templates?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Custom domains. Only in the links deployment. `null` while the count is not known: ask again later. */
                                domains?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description QR codes that are active. Only in the QR codes deployment. `null` while the count is not known: ask again later. */
                                active_qr_codes?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description QR codes, active and archived. Only in the QR codes deployment. `null` while the count is not known: ask again later. */
                                qr_codes?: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Webhooks. `null` while the count is not known: ask again later. */
                                webhooks: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Members. `null` while the count is not known: ask again later. */
                                members: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                                /** @description Access tokens that are not revoked. `null` while the count is not known: ask again later. */
                                tokens: {
                                    used: number;
                                    limit: number | null;
                                } | null;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    members_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
                /** @description Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`. */
                updated_since?: string;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at";
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "user": {
                     *             "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *             "name": "Ada Lovelace",
                     *             "email": "ada@example.com"
                     *           },
                     *           "role": "editor",
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Member"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    members_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body are a 409 that names what was created: its secret is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": {
                    email: string;
                    /** @enum {string} */
                    role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "inv_01KG9R0B2C3D4E5F6G7H8J9K0M",
                     *         "email": "grace@example.com",
                     *         "role": "editor",
                     *         "invited_by": {
                     *           "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-02-01T09:30:00.000Z"
                     *       },
                     *       "meta": {
                     *         "invite_url": "https://api.example.com/console/invitations#7Hq2…",
                     *         "mailed": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @description The only address whose owner may accept; `null` for an invitation that anyone with the link may accept. */
                            email: string | null;
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            invited_by: {
                                id: string;
                                name: string;
                            };
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                        };
                        meta: {
                            /** @description Where the invited person accepts; shown once. The part behind `#` is the token. */
                            invite_url: string;
                            /** @description Whether the address also gets a mail with a link. One address gets a few such mails a day. */
                            mailed: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    members_leave: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    members_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                user: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    members_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                user: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "editor"
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    role?: "owner" | "admin" | "editor" | "analyst" | "viewer";
                };
                /**
                 * @example {
                 *       "role": "editor"
                 *     }
                 */
                "application/merge-patch+json": {
                    /** @enum {string} */
                    role?: "owner" | "admin" | "editor" | "analyst" | "viewer";
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "user": {
                     *           "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *           "name": "Ada Lovelace",
                     *           "email": "ada@example.com"
                     *         },
                     *         "role": "editor",
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Member"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    invitations_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "inv_01KG9R0B2C3D4E5F6G7H8J9K0M",
                     *           "email": "grace@example.com",
                     *           "role": "editor",
                     *           "invited_by": {
                     *             "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *             "name": "Ada Lovelace"
                     *           },
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "expires_at": "2026-02-01T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @description The only address whose owner may accept; `null` for an invitation that anyone with the link may accept. */
                            email: string | null;
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            invited_by: {
                                id: string;
                                name: string;
                            };
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                        }[];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    invitations_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body are a 409 that names what was created: its secret is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "grace@example.com",
                 *       "role": "editor"
                 *     }
                 */
                "application/json": {
                    email?: string | null;
                    /** @enum {string} */
                    role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "inv_01KG9R0B2C3D4E5F6G7H8J9K0M",
                     *         "email": "grace@example.com",
                     *         "role": "editor",
                     *         "invited_by": {
                     *           "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "expires_at": "2026-02-01T09:30:00.000Z"
                     *       },
                     *       "meta": {
                     *         "invite_url": "https://api.example.com/console/invitations#7Hq2…",
                     *         "mailed": false
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @description The only address whose owner may accept; `null` for an invitation that anyone with the link may accept. */
                            email: string | null;
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            invited_by: {
                                id: string;
                                name: string;
                            };
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            expires_at: string;
                        };
                        meta: {
                            /** @description Where the invited person accepts; shown once. The part behind `#` is the token. */
                            invite_url: string;
                            /** @description Whether the address also gets a mail with a link. One address gets a few such mails a day. */
                            mailed: boolean;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    invitations_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    invitations_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workspace": {
                     *           "name": "Acme"
                     *         },
                     *         "role": "editor",
                     *         "invited_by": {
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "is_for_one_email": true,
                     *         "email": "grace@example.com",
                     *         "allows_new_account": true,
                     *         "expires_at": "2026-02-01T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            workspace: {
                                name: string;
                            };
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            invited_by: {
                                name: string;
                            };
                            /** @description Whether only the owner of one e-mail address may accept. */
                            is_for_one_email: boolean;
                            /** @description The address that this link was mailed to; `null` for every link that was not mailed. */
                            email: string | null;
                            /** @description Whether a person without an account may accept and get one; the operator can switch that off. */
                            allows_new_account: boolean;
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            404: components["responses"]["uncounted_not_found"];
            408: components["responses"]["uncounted_request_timeout"];
            412: components["responses"]["uncounted_precondition_failed"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    invitations_accept: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                token: string;
            };
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Grace Hopper",
                 *       "email": "grace@example.com",
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    email?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workspace": {
                     *           "slug": "acme",
                     *           "name": "Acme"
                     *         },
                     *         "role": "editor",
                     *         "user": {
                     *           "id": "usr_01KG9R1C3D4E5F6G7H8J9K0M1N",
                     *           "name": "Grace Hopper",
                     *           "email": "grace@example.com"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            workspace: {
                                slug: string;
                                name: string;
                            };
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            user: {
                                id: string;
                                name: string;
                                email: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    invitations_lookUp: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Zk3v0TqQ2m1x9bD4sYh7WcUe5aRj8nLpGf6iKoVtMzE"
                 *     }
                 */
                "application/json": {
                    /** @description The part of the link behind `#`. */
                    token: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workspace": {
                     *           "name": "Acme"
                     *         },
                     *         "role": "editor",
                     *         "invited_by": {
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "is_for_one_email": true,
                     *         "email": "grace@example.com",
                     *         "allows_new_account": true,
                     *         "expires_at": "2026-02-01T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            workspace: {
                                name: string;
                            };
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            invited_by: {
                                name: string;
                            };
                            /** @description Whether only the owner of one e-mail address may accept. */
                            is_for_one_email: boolean;
                            /** @description The address that this link was mailed to; `null` for every link that was not mailed. */
                            email: string | null;
                            /** @description Whether a person without an account may accept and get one; the operator can switch that off. */
                            allows_new_account: boolean;
                            /** Format: date-time */
                            expires_at: string;
                        };
                    };
                };
            };
            400: components["responses"]["uncounted_bad_request"];
            401: components["responses"]["uncounted_unauthenticated"];
            403: components["responses"]["uncounted_forbidden"];
            404: components["responses"]["uncounted_not_found"];
            408: components["responses"]["uncounted_request_timeout"];
            409: components["responses"]["uncounted_conflict"];
            413: components["responses"]["uncounted_payload_too_large"];
            415: components["responses"]["uncounted_unsupported_media_type"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
            503: components["responses"]["uncounted_service_unavailable"];
        };
    };
    invitations_acceptByToken: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        /** @description At most 4 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "Zk3v0TqQ2m1x9bD4sYh7WcUe5aRj8nLpGf6iKoVtMzE",
                 *       "name": "Grace Hopper",
                 *       "email": "grace@example.com",
                 *       "password": "a long password"
                 *     }
                 */
                "application/json": {
                    /** @description The part of the link behind `#`. */
                    token: string;
                    name?: string;
                    email?: string;
                    password?: string;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workspace": {
                     *           "slug": "acme",
                     *           "name": "Acme"
                     *         },
                     *         "role": "editor",
                     *         "user": {
                     *           "id": "usr_01KG9R1C3D4E5F6G7H8J9K0M1N",
                     *           "name": "Grace Hopper",
                     *           "email": "grace@example.com"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            workspace: {
                                slug: string;
                                name: string;
                            };
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            user: {
                                id: string;
                                name: string;
                                email: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_acceptInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "workspace": {
                     *           "slug": "acme",
                     *           "name": "Acme"
                     *         },
                     *         "role": "editor",
                     *         "user": {
                     *           "id": "usr_01KG9R1C3D4E5F6G7H8J9K0M1N",
                     *           "name": "Grace Hopper",
                     *           "email": "grace@example.com"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            workspace: {
                                slug: string;
                                name: string;
                            };
                            /** @enum {string} */
                            role: "owner" | "admin" | "editor" | "analyst" | "viewer";
                            user: {
                                id: string;
                                name: string;
                                email: string;
                            };
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    user_declineInvitation: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tokens_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "tok_01KG9R6D9E0F1G2H3J4K5M6N7P",
                     *           "name": "build server",
                     *           "user": {
                     *             "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *             "name": "Ada Lovelace"
                     *           },
                     *           "created_by_token_id": null,
                     *           "scope": "read_write",
                     *           "abilities": [
                     *             "workspace:acme:read",
                     *             "workspace:acme:write"
                     *           ],
                     *           "token_prefix": "wmk_3fT9",
                     *           "last_used_at": null,
                     *           "expires_at": null,
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Token"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tokens_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body are a 409 that names what was created: its secret is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "build server",
                 *       "scope": "read_write"
                 *     }
                 */
                "application/json": {
                    name: string;
                    /**
                     * @default read_write
                     * @enum {string}
                     */
                    scope?: "read_only" | "read_write";
                    /** @description A time, or the last day, in UTC, on which the token is valid. */
                    expires_at?: (string) | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "tok_01KG9R6D9E0F1G2H3J4K5M6N7P",
                     *         "name": "build server",
                     *         "user": {
                     *           "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *           "name": "Ada Lovelace"
                     *         },
                     *         "created_by_token_id": null,
                     *         "scope": "read_write",
                     *         "abilities": [
                     *           "workspace:acme:read",
                     *           "workspace:acme:write"
                     *         ],
                     *         "token_prefix": "wmk_3fT9",
                     *         "last_used_at": null,
                     *         "expires_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "meta": {
                     *         "plaintext_token": "wmk_3fT9…"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Token"];
                        meta: {
                            plaintext_token: string;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tokens_revoke: {
        parameters: {
            query?: {
                /** @description Also revokes every token that this one minted, and the tokens that those minted. */
                cascade?: boolean;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                tokenId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_list: {
        parameters: {
            query?: {
                /** @description Only this status. Omit it, or pass `all`, for every one. */
                status?: "all" | "active" | "archived";
                /** @description At most 8 words or beginnings of words; all must match. */
                search?: string;
                /** @description Only this campaign. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`. */
                updated_since?: string;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "title" | "-title" | "scans_count" | "-scans_count";
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
                /** @description The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages. */
                cursor?: string;
                /** @description Only this folder_id. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description Only this tag_id. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Only this domain_id. Omit it, or pass `all`, for every one. */
                domain_id?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *           "short_code": "spring",
                     *           "short_url": "https://go.example.com/spring",
                     *           "title": "Spring sale",
                     *           "destination_url": "https://shop.example.com/spring",
                     *           "campaign_tag": "spring-2026",
                     *           "utm_defaults": {
                     *             "utm_source": "newsletter",
                     *             "utm_medium": "email",
                     *             "utm_campaign": "spring-2026",
                     *             "utm_term": null,
                     *             "utm_content": null
                     *           },
                     *           "query_policy": "append",
                     *           "status": "active",
                     *           "scans_count": 42,
                     *           "last_scanned_at": "2026-02-01T09:30:00.000Z",
                     *           "created_by": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *           "archived_at": null,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z",
                     *           "domain": null,
                     *           "folder_id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *           "tags": [
                     *             {
                     *               "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *               "name": "seasonal",
                     *               "color": "#2e7d32"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/links?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/links?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/links",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1,
                     *         "truncated": false,
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Link"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                            truncated: boolean;
                            /** @description With it as `cursor` the answer continues after this one; `null` on the last page. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "destination_url": "https://shop.example.com/spring",
                 *       "title": "Spring sale",
                 *       "campaign_tag": "spring-2026",
                 *       "utm_defaults": {
                 *         "utm_source": "newsletter",
                 *         "utm_medium": "email"
                 *       },
                 *       "short_code": "spring"
                 *     }
                 */
                "application/json": {
                    destination_url: string;
                    title?: string | null;
                    campaign_tag?: string | null;
                    utm_defaults?: {
                        utm_source?: string | null;
                        utm_medium?: string | null;
                        utm_campaign?: string | null;
                        utm_term?: string | null;
                        utm_content?: string | null;
                    } | null;
                    query_policy?: ("append" | "override" | "drop") | null;
                    status?: ("active" | "archived") | null;
                    short_code?: string | null;
                    domain_id?: string | null;
                    folder_id?: string | null;
                    utm_template_id?: string | null;
                    tag_ids?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "short_url": "https://go.example.com/spring",
                     *         "title": "Spring sale",
                     *         "destination_url": "https://shop.example.com/spring",
                     *         "campaign_tag": "spring-2026",
                     *         "utm_defaults": {
                     *           "utm_source": "newsletter",
                     *           "utm_medium": "email",
                     *           "utm_campaign": "spring-2026",
                     *           "utm_term": null,
                     *           "utm_content": null
                     *         },
                     *         "query_policy": "append",
                     *         "status": "active",
                     *         "scans_count": 42,
                     *         "last_scanned_at": "2026-02-01T09:30:00.000Z",
                     *         "created_by": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "archived_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "domain": null,
                     *         "folder_id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "tags": [
                     *           {
                     *             "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *             "name": "seasonal",
                     *             "color": "#2e7d32"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Link"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_export: {
        parameters: {
            query?: {
                /** @description Only this status. Omit it, or pass `all`, for every one. */
                status?: "all" | "active" | "archived";
                /** @description At most 8 words or beginnings of words; all must match. */
                search?: string;
                /** @description Only this campaign. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`. */
                updated_since?: string;
                sort?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "title" | "-title" | "scans_count" | "-scans_count";
                /** @description Only this folder_id. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description Only this tag_id. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Only this domain_id. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Whether the file begins with a byte order mark, by which Excel reads it as UTF-8. */
                bom?: boolean;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": string;
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "short_url": "https://go.example.com/spring",
                     *         "title": "Spring sale",
                     *         "destination_url": "https://shop.example.com/spring",
                     *         "campaign_tag": "spring-2026",
                     *         "utm_defaults": {
                     *           "utm_source": "newsletter",
                     *           "utm_medium": "email",
                     *           "utm_campaign": "spring-2026",
                     *           "utm_term": null,
                     *           "utm_content": null
                     *         },
                     *         "query_policy": "append",
                     *         "status": "active",
                     *         "scans_count": 42,
                     *         "last_scanned_at": "2026-02-01T09:30:00.000Z",
                     *         "created_by": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "archived_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "domain": null,
                     *         "folder_id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "tags": [
                     *           {
                     *             "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *             "name": "seasonal",
                     *             "color": "#2e7d32"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Link"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Spring sale",
                 *       "status": "active"
                 *     }
                 */
                "application/json": {
                    destination_url?: string;
                    title?: string | null;
                    campaign_tag?: string | null;
                    utm_defaults?: {
                        utm_source?: string | null;
                        utm_medium?: string | null;
                        utm_campaign?: string | null;
                        utm_term?: string | null;
                        utm_content?: string | null;
                    } | null;
                    /** @enum {string} */
                    query_policy?: "append" | "override" | "drop";
                    /** @enum {string} */
                    status?: "active" | "archived";
                    short_code?: string;
                    domain_id?: string | null;
                    folder_id?: string | null;
                    utm_template_id?: string | null;
                    tag_ids?: string[] | null;
                };
                /**
                 * @example {
                 *       "title": "Spring sale",
                 *       "status": "active"
                 *     }
                 */
                "application/merge-patch+json": {
                    destination_url?: string;
                    title?: string | null;
                    campaign_tag?: string | null;
                    utm_defaults?: {
                        utm_source?: string | null;
                        utm_medium?: string | null;
                        utm_campaign?: string | null;
                        utm_term?: string | null;
                        utm_content?: string | null;
                    } | null;
                    /** @enum {string} */
                    query_policy?: "append" | "override" | "drop";
                    /** @enum {string} */
                    status?: "active" | "archived";
                    short_code?: string;
                    domain_id?: string | null;
                    folder_id?: string | null;
                    utm_template_id?: string | null;
                    tag_ids?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "short_url": "https://go.example.com/spring",
                     *         "title": "Spring sale",
                     *         "destination_url": "https://shop.example.com/spring",
                     *         "campaign_tag": "spring-2026",
                     *         "utm_defaults": {
                     *           "utm_source": "newsletter",
                     *           "utm_medium": "email",
                     *           "utm_campaign": "spring-2026",
                     *           "utm_term": null,
                     *           "utm_content": null
                     *         },
                     *         "query_policy": "append",
                     *         "status": "active",
                     *         "scans_count": 42,
                     *         "last_scanned_at": "2026-02-01T09:30:00.000Z",
                     *         "created_by": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *         "archived_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z",
                     *         "domain": null,
                     *         "folder_id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "tags": [
                     *           {
                     *             "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *             "name": "seasonal",
                     *             "color": "#2e7d32"
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Link"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_bulk: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                 *         "lnk_unknown"
                 *       ],
                 *       "action": "move",
                 *       "folder_id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M"
                 *     }
                 */
                "application/json": {
                    ids: string[];
                    /** @enum {string} */
                    action: "archive" | "reactivate" | "delete" | "move" | "add_tags" | "remove_tags";
                    /** @description Only with `move`: the folder to move the links to, or `null` for no folder. */
                    folder_id?: string | null;
                    /** @description Only with `add_tags` and `remove_tags`: at least one tag. */
                    tag_ids?: string[] | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *           "status": 200
                     *         },
                     *         {
                     *           "id": "lnk_unknown",
                     *           "status": 404,
                     *           "error": {
                     *             "code": "not_found",
                     *             "message": "There is no link lnk_unknown in this workspace."
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: {
                            id: string;
                            /** @description The status with which the route for one item would answer. */
                            status: number;
                            error?: {
                                code: string;
                                message: string;
                                details?: {
                                    [key: string]: unknown;
                                };
                                readonly problems?: components["schemas"]["Problem"][];
                            };
                        }[];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    imports_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 10 MB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "links": [
                 *         {
                 *           "destination_url": "https://shop.example.com/spring",
                 *           "title": "Spring sale"
                 *         },
                 *         {
                 *           "destination_url": "no address"
                 *         }
                 *       ],
                 *       "options": {
                 *         "on_duplicate": "skip"
                 *       }
                 *     }
                 */
                "application/json": {
                    links?: unknown[] | null;
                    csv?: string | null;
                    options?: {
                        /** @default fail */
                        on_duplicate?: ("skip" | "update" | "fail") | null;
                        /** @default false */
                        dry_run?: boolean | null;
                    } | null;
                };
            };
        };
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "imp_01KG9R7E0F1G2H3J4K5M6N7P8Q",
                     *         "status": "completed_with_errors",
                     *         "options": {
                     *           "on_duplicate": "skip",
                     *           "dry_run": false
                     *         },
                     *         "total_rows": 2,
                     *         "processed_rows": 2,
                     *         "created_count": 1,
                     *         "updated_count": 0,
                     *         "unchanged_count": 0,
                     *         "skipped_count": 0,
                     *         "failed_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "rows_kept_until": "2026-03-02T12:00:00.000Z",
                     *         "errors": [
                     *           {
                     *             "row": 2,
                     *             "field": "destination_url",
                     *             "code": "validation_failed",
                     *             "problem_code": "url_invalid",
                     *             "message": "The destination_url must begin with https:// or http://."
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LinkImport"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    imports_list: {
        parameters: {
            query?: {
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "imp_01KG9R7E0F1G2H3J4K5M6N7P8Q",
                     *           "status": "completed_with_errors",
                     *           "options": {
                     *             "on_duplicate": "skip",
                     *             "dry_run": false
                     *           },
                     *           "total_rows": 2,
                     *           "processed_rows": 2,
                     *           "created_count": 1,
                     *           "updated_count": 0,
                     *           "unchanged_count": 0,
                     *           "skipped_count": 0,
                     *           "failed_count": 1,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "started_at": "2026-01-31T12:00:00.000Z",
                     *           "finished_at": "2026-01-31T12:00:00.000Z",
                     *           "rows_kept_until": "2026-03-02T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/links/imports?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/links/imports?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/links/imports",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ImportSummary"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    imports_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "imp_01KG9R7E0F1G2H3J4K5M6N7P8Q",
                     *         "status": "completed_with_errors",
                     *         "options": {
                     *           "on_duplicate": "skip",
                     *           "dry_run": false
                     *         },
                     *         "total_rows": 2,
                     *         "processed_rows": 2,
                     *         "created_count": 1,
                     *         "updated_count": 0,
                     *         "unchanged_count": 0,
                     *         "skipped_count": 0,
                     *         "failed_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "started_at": "2026-01-31T12:00:00.000Z",
                     *         "finished_at": "2026-01-31T12:00:00.000Z",
                     *         "rows_kept_until": "2026-03-02T12:00:00.000Z",
                     *         "errors": [
                     *           {
                     *             "row": 2,
                     *             "field": "destination_url",
                     *             "code": "validation_failed",
                     *             "problem_code": "url_invalid",
                     *             "message": "The destination_url must begin with https:// or http://."
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "truncated": false,
                     *         "rows_url": "https://api.example.com/api/v1/workspaces/acme/links/imports/imp_01KG9R7E0F1G2H3J4K5M6N7P8Q/rows"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["LinkImport"];
                        meta: {
                            truncated: boolean;
                            rows_url: string;
                        };
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    imports_rows: {
        parameters: {
            query?: {
                /** @description Only this outcome. Omit it, or pass `all`, for every one. */
                outcome?: "all" | "created" | "updated" | "unchanged" | "skipped" | "failed";
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "row": 2,
                     *           "outcome": "failed",
                     *           "link_id": null,
                     *           "short_code": null,
                     *           "short_url": null,
                     *           "errors": [
                     *             {
                     *               "field": "destination_url",
                     *               "code": "validation_failed",
                     *               "problem_code": "url_invalid",
                     *               "message": "The destination_url must begin with https:// or http://."
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/links/imports/imp_01KG9R7E0F1G2H3J4K5M6N7P8Q/rows?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/links/imports/imp_01KG9R7E0F1G2H3J4K5M6N7P8Q/rows?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/links/imports/imp_01KG9R7E0F1G2H3J4K5M6N7P8Q/rows",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["ImportRow"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    folders_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *           "name": "Spring",
                     *           "description": "Everything for the spring sale",
                     *           "color": "#2e7d32",
                     *           "links_count": 1,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Folder"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    folders_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Spring",
                 *       "color": "#2e7d32"
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "name": "Spring",
                     *         "description": "Everything for the spring sale",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Folder"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    folders_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "name": "Spring",
                     *         "description": "Everything for the spring sale",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Folder"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    folders_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    folders_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "description": "Everything for the spring sale"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    color?: string | null;
                };
                /**
                 * @example {
                 *       "description": "Everything for the spring sale"
                 *     }
                 */
                "application/merge-patch+json": {
                    name?: string;
                    description?: string | null;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "fld_01KG9R4B7C8D9E0F1G2H3J4K5M",
                     *         "name": "Spring",
                     *         "description": "Everything for the spring sale",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Folder"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tags_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *           "name": "seasonal",
                     *           "color": "#2e7d32",
                     *           "links_count": 1,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Tag"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tags_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "seasonal",
                 *       "color": "#2e7d32"
                 *     }
                 */
                "application/json": {
                    name: string;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *         "name": "seasonal",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tags_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *         "name": "seasonal",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Tag"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tags_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    tags_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "color": "#2e7d32"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    color?: string | null;
                };
                /**
                 * @example {
                 *       "color": "#2e7d32"
                 *     }
                 */
                "application/merge-patch+json": {
                    name?: string;
                    color?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "tag_01KG9R5C8D9E0F1G2H3J4K5M6N",
                     *         "name": "seasonal",
                     *         "color": "#2e7d32",
                     *         "links_count": 1,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Tag"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    utm_templates_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "utm_01KG9R8F1G2H3J4K5M6N7P8Q9R",
                     *           "name": "Newsletter",
                     *           "description": null,
                     *           "utm_source": "newsletter",
                     *           "utm_medium": "email",
                     *           "utm_campaign": "spring-2026",
                     *           "utm_term": null,
                     *           "utm_content": null,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["UtmTemplate"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    utm_templates_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Newsletter",
                 *       "utm_source": "newsletter",
                 *       "utm_medium": "email"
                 *     }
                 */
                "application/json": {
                    name: string;
                    description?: string | null;
                    utm_source?: string | null;
                    utm_medium?: string | null;
                    utm_campaign?: string | null;
                    utm_term?: string | null;
                    utm_content?: string | null;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "utm_01KG9R8F1G2H3J4K5M6N7P8Q9R",
                     *         "name": "Newsletter",
                     *         "description": null,
                     *         "utm_source": "newsletter",
                     *         "utm_medium": "email",
                     *         "utm_campaign": "spring-2026",
                     *         "utm_term": null,
                     *         "utm_content": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["UtmTemplate"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    utm_templates_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "utm_01KG9R8F1G2H3J4K5M6N7P8Q9R",
                     *         "name": "Newsletter",
                     *         "description": null,
                     *         "utm_source": "newsletter",
                     *         "utm_medium": "email",
                     *         "utm_campaign": "spring-2026",
                     *         "utm_term": null,
                     *         "utm_content": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["UtmTemplate"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    utm_templates_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    utm_templates_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "utm_campaign": "spring-2026"
                 *     }
                 */
                "application/json": {
                    name?: string;
                    description?: string | null;
                    utm_source?: string | null;
                    utm_medium?: string | null;
                    utm_campaign?: string | null;
                    utm_term?: string | null;
                    utm_content?: string | null;
                };
                /**
                 * @example {
                 *       "utm_campaign": "spring-2026"
                 *     }
                 */
                "application/merge-patch+json": {
                    name?: string;
                    description?: string | null;
                    utm_source?: string | null;
                    utm_medium?: string | null;
                    utm_campaign?: string | null;
                    utm_term?: string | null;
                    utm_content?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "utm_01KG9R8F1G2H3J4K5M6N7P8Q9R",
                     *         "name": "Newsletter",
                     *         "description": null,
                     *         "utm_source": "newsletter",
                     *         "utm_medium": "email",
                     *         "utm_campaign": "spring-2026",
                     *         "utm_term": null,
                     *         "utm_content": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["UtmTemplate"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    conversions_list: {
        parameters: {
            query?: {
                /** @description Only this link_id. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Only this source. Omit it, or pass `all`, for every one; write the source `all` as `\all`. */
                source?: string;
                /** @description Only conversions with this external_id. */
                external_id?: string;
                /** @description Only this status. Omit it, or pass `all`, for every one. */
                status?: "all" | "recorded" | "pending" | "rejected";
                /** @description Only conversions that occurred at this time or later. */
                from?: string;
                /** @description Only conversions that occurred at this time or earlier. */
                to?: string;
                /** @description Only items that changed at this time or later: a date in UTC, or a time, e.g. `2026-01-31T12:00:00Z`. */
                updated_since?: string;
                sort?: "recorded_at" | "-recorded_at" | "updated_at" | "-updated_at";
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
                /** @description The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages. */
                cursor?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "cnv_01KG9R9G2H3J4K5M6N7P8Q9R0S",
                     *           "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *           "short_code": "spring",
                     *           "source": "checkout",
                     *           "meta": {
                     *             "order": "A-1001"
                     *           },
                     *           "value": 49.9,
                     *           "currency": "EUR",
                     *           "external_id": "order-A-1001",
                     *           "occurred_at": "2026-01-31T12:00:00.000Z",
                     *           "recorded_at": "2026-01-31T12:00:00.000Z",
                     *           "status": "recorded",
                     *           "rejection": null,
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/conversions?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/conversions?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/conversions",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1,
                     *         "truncated": false,
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Conversion"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                            truncated: boolean;
                            /** @description With it as `cursor` the answer continues after this one; `null` on the last page. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    conversions_record: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "short_code": "spring",
                 *       "source": "checkout",
                 *       "value": 49.9,
                 *       "currency": "EUR",
                 *       "external_id": "order-A-1001"
                 *     }
                 */
                "application/json": {
                    /** @description Names the link: give its `short_code`, its `id` or both. */
                    short_code?: string | null;
                    /** @description Names the link: give its `short_code`, its `id` or both. */
                    id?: string | null;
                    source: string;
                    /** @description Any JSON object of at most 10000 bytes. A number beyond 9007199254740991 is a 422, since it would be stored as another one: send it as a string. */
                    meta?: Record<string, never> | null;
                    value?: number | null;
                    /** @description Required with a `value`. */
                    currency?: string | null;
                    external_id?: string | null;
                    occurred_at?: string | null;
                };
            };
        };
        responses: {
            /** @description The `external_id` of this `source` was recorded before: the first record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "cnv_01KG9R9G2H3J4K5M6N7P8Q9R0S",
                     *         "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "source": "checkout",
                     *         "meta": {
                     *           "order": "A-1001"
                     *         },
                     *         "value": 49.9,
                     *         "currency": "EUR",
                     *         "external_id": "order-A-1001",
                     *         "occurred_at": "2026-01-31T12:00:00.000Z",
                     *         "recorded_at": "2026-01-31T12:00:00.000Z",
                     *         "status": "recorded",
                     *         "rejection": null,
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Conversion"];
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "cnv_01KG9R9G2H3J4K5M6N7P8Q9R0S",
                     *         "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "source": "checkout",
                     *         "meta": {
                     *           "order": "A-1001"
                     *         },
                     *         "value": 49.9,
                     *         "currency": "EUR",
                     *         "external_id": "order-A-1001",
                     *         "occurred_at": "2026-01-31T12:00:00.000Z",
                     *         "recorded_at": "2026-01-31T12:00:00.000Z",
                     *         "status": "recorded",
                     *         "rejection": null,
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Conversion"];
                    };
                };
            };
            /** @description The link cannot be looked up now: the conversion is pending, and is recorded or rejected later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "cnv_01KG9R9G2H3J4K5M6N7P8Q9R0S",
                     *         "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *         "short_code": "spring",
                     *         "source": "checkout",
                     *         "meta": {
                     *           "order": "A-1001"
                     *         },
                     *         "value": 49.9,
                     *         "currency": "EUR",
                     *         "external_id": "order-A-1001",
                     *         "occurred_at": "2026-01-31T12:00:00.000Z",
                     *         "recorded_at": "2026-01-31T12:00:00.000Z",
                     *         "status": "recorded",
                     *         "rejection": null,
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Conversion"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    links_qr: {
        parameters: {
            query?: {
                format?: "svg" | "png";
                size?: number;
                foreground?: string;
                background?: string;
                error_correction?: "L" | "M" | "Q" | "H";
                margin?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "image/svg+xml": string;
                    "image/png": string;
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_summary: {
        parameters: {
            query?: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Scans from these countries (ISO 3166 codes; `unknown` where it is not known). Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                country?: string;
                /** @description Scans from these regions; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                region?: string;
                /** @description Scans from these cities; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                city?: string;
                /** @description Scans from these devices. Up to 50 values, separated by commas (`desktop`, `mobile`, `tablet`, `other`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                device?: string;
                /** @description Scans by these browsers; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                browser?: string;
                /** @description Scans by these operating systems; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                os?: string;
                /** @description Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                language?: string;
                /** @description Scans that came from these hosts; `direct` without a referrer. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                referrer?: string;
                /** @description Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
                /** @description Scans of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Scans of QR codes (`qr`) or of links (`link`). Up to 50 values, separated by commas (`link`, `qr`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                trigger?: string;
                /** @description Scans of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Scans of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Scans of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description The length of the points of the trend; `hour` for at most 14 days. Weeks begin on Mondays. All in `timezone`. */
                interval?: "hour" | "day" | "week" | "month";
                /** @description Adds the figures of as many days right before the range (`previous_period`), or of the same dates a year before (`previous_year`). While the range is not over, the earlier one ends at the same time of day as `data_as_of`. */
                compare?: "previous_period" | "previous_year";
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "kpis": {
                     *           "total_scans": 42,
                     *           "unique_visitors": 30,
                     *           "conversions": 3,
                     *           "conversion_rate": 0.1,
                     *           "conversion_values": [
                     *             {
                     *               "currency": "EUR",
                     *               "value": 149.7
                     *             }
                     *           ],
                     *           "active_links": 1,
                     *           "bot_scans": 2
                     *         },
                     *         "trend": [
                     *           {
                     *             "date": "2026-02-01",
                     *             "starts_at": "2026-02-01T00:00:00.000Z",
                     *             "scans": 42,
                     *             "unique_visitors": 30,
                     *             "conversions": 3
                     *           }
                     *         ],
                     *         "devices": [
                     *           {
                     *             "device": "mobile",
                     *             "scans": 42,
                     *             "share": 1
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "start_date": "2026-02-01",
                     *         "end_date": "2026-02-01",
                     *         "timezone": "UTC",
                     *         "filters": {
                     *           "campaign": "spring-2026"
                     *         },
                     *         "data_as_of": "2026-02-01T09:30:00.000Z",
                     *         "rows_kept_from": null,
                     *         "unique_visitors_estimated": false,
                     *         "interval": "day",
                     *         "compared_with": null,
                     *         "currencies_truncated": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Summary"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_scans: {
        parameters: {
            query?: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Scans from these countries (ISO 3166 codes; `unknown` where it is not known). Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                country?: string;
                /** @description Scans from these regions; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                region?: string;
                /** @description Scans from these cities; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                city?: string;
                /** @description Scans from these devices. Up to 50 values, separated by commas (`desktop`, `mobile`, `tablet`, `other`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                device?: string;
                /** @description Scans by these browsers; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                browser?: string;
                /** @description Scans by these operating systems; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                os?: string;
                /** @description Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                language?: string;
                /** @description Scans that came from these hosts; `direct` without a referrer. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                referrer?: string;
                /** @description Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
                /** @description Scans of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Scans of QR codes (`qr`) or of links (`link`). Up to 50 values, separated by commas (`link`, `qr`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                trigger?: string;
                /** @description Scans of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Scans of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Scans of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
                /** @description The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages. */
                cursor?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "scn_01KG9RAH3J4K5M6N7P8Q9R0S1T",
                     *           "short_code": "spring",
                     *           "scanned_at": "2026-02-01T09:30:00.000Z",
                     *           "country": "DE",
                     *           "region": "Berlin",
                     *           "city": "Berlin",
                     *           "device": "mobile",
                     *           "browser": "Safari",
                     *           "os": "iOS",
                     *           "referrer": "mail.example.com",
                     *           "campaign": "spring-2026",
                     *           "is_unique": true,
                     *           "is_bot": false,
                     *           "language": "de",
                     *           "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *           "trigger": "link"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/analytics/scans?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/analytics/scans?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/analytics/scans",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1,
                     *         "next_cursor": null,
                     *         "rows_kept_from": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Scan"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            /** @description Scans of the selection; with a `cursor`, as many as on the first page. */
                            total: number;
                            /** @description With it as `cursor` the answer continues after this one; `null` on the last page. */
                            next_cursor: string | null;
                            /** @description Scans before this UTC day are neither listed nor counted any more; `null` while all are kept. */
                            rows_kept_from: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_export: {
        parameters: {
            query?: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Scans from these countries (ISO 3166 codes; `unknown` where it is not known). Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                country?: string;
                /** @description Scans from these regions; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                region?: string;
                /** @description Scans from these cities; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                city?: string;
                /** @description Scans from these devices. Up to 50 values, separated by commas (`desktop`, `mobile`, `tablet`, `other`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                device?: string;
                /** @description Scans by these browsers; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                browser?: string;
                /** @description Scans by these operating systems; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                os?: string;
                /** @description Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                language?: string;
                /** @description Scans that came from these hosts; `direct` without a referrer. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                referrer?: string;
                /** @description Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
                /** @description Scans of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Scans of QR codes (`qr`) or of links (`link`). Up to 50 values, separated by commas (`link`, `qr`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                trigger?: string;
                /** @description Scans of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Scans of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Scans of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description Whether the file begins with a byte order mark, by which Excel reads it as UTF-8. */
                bom?: boolean;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "X-Rows-Kept-From": components["headers"]["X-Rows-Kept-From"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_breakdown: {
        parameters: {
            query: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Scans from these countries (ISO 3166 codes; `unknown` where it is not known). Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                country?: string;
                /** @description Scans from these regions; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                region?: string;
                /** @description Scans from these cities; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                city?: string;
                /** @description Scans from these devices. Up to 50 values, separated by commas (`desktop`, `mobile`, `tablet`, `other`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                device?: string;
                /** @description Scans by these browsers; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                browser?: string;
                /** @description Scans by these operating systems; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                os?: string;
                /** @description Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                language?: string;
                /** @description Scans that came from these hosts; `direct` without a referrer. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                referrer?: string;
                /** @description Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
                /** @description Scans of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Scans of QR codes (`qr`) or of links (`link`). Up to 50 values, separated by commas (`link`, `qr`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                trigger?: string;
                /** @description Scans of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Scans of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Scans of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description `hour` is the hour of the day (0 to 23) and `weekday` the day of the week (1 is Monday), both in `timezone`; `continent` is AF, AN, AS, EU, NA, OC, SA or `unknown`; a scan without a campaign has the campaign `none`. `domain`, `tag` and `folder` are ids of what the link of a scan has now, or `none`; a scan of a link with two tags counts in both rows. Their names are in the lists of domains, tags and folders of the workspace. */
                dimension: "country" | "city" | "region" | "device" | "browser" | "os" | "language" | "referrer" | "continent" | "campaign" | "hour" | "weekday" | "link" | "trigger" | "domain" | "tag" | "folder";
                /** @description Rows of each dimension; 25 unless given. */
                limit?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "value": "DE",
                     *           "scans": 42,
                     *           "unique_visitors": 30,
                     *           "share": 1
                     *         }
                     *       ],
                     *       "meta": {
                     *         "dimension": "country",
                     *         "total": 42,
                     *         "limit": 25,
                     *         "truncated": false,
                     *         "rows_kept_from": null,
                     *         "unique_visitors_estimated": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Breakdown"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_breakdowns: {
        parameters: {
            query: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Scans from these countries (ISO 3166 codes; `unknown` where it is not known). Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                country?: string;
                /** @description Scans from these regions; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                region?: string;
                /** @description Scans from these cities; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                city?: string;
                /** @description Scans from these devices. Up to 50 values, separated by commas (`desktop`, `mobile`, `tablet`, `other`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                device?: string;
                /** @description Scans by these browsers; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                browser?: string;
                /** @description Scans by these operating systems; `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                os?: string;
                /** @description Scans by browsers that prefer these languages (`de`, `en`, without a region); `unknown` where it is not known. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                language?: string;
                /** @description Scans that came from these hosts; `direct` without a referrer. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                referrer?: string;
                /** @description Scans of these campaigns; `none` without a campaign. Write a comma, a `!` or a backslash of a name with a backslash in front of it. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
                /** @description Scans of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Scans of QR codes (`qr`) or of links (`link`). Up to 50 values, separated by commas (`link`, `qr`); `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                trigger?: string;
                /** @description Scans of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Scans of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Scans of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description The dimensions must be one or more of country, city, region, device, browser, os, language, referrer, continent, campaign, hour, weekday, link, trigger, domain, tag, folder, separated by commas. `hour` is the hour of the day (0 to 23) and `weekday` the day of the week (1 is Monday), both in `timezone`; `continent` is AF, AN, AS, EU, NA, OC, SA or `unknown`; a scan without a campaign has the campaign `none`. `domain`, `tag` and `folder` are ids of what the link of a scan has now, or `none`; a scan of a link with two tags counts in both rows. Their names are in the lists of domains, tags and folders of the workspace. */
                dimensions: string;
                /** @description Rows of each dimension; 25 unless given. */
                limit?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "country": [
                     *           {
                     *             "value": "DE",
                     *             "scans": 42,
                     *             "unique_visitors": 30,
                     *             "share": 1
                     *           }
                     *         ],
                     *         "link": [
                     *           {
                     *             "value": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *             "scans": 42,
                     *             "unique_visitors": 30,
                     *             "share": 1,
                     *             "short_code": "spring",
                     *             "title": "Spring"
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "start_date": "2026-02-01",
                     *         "end_date": "2026-02-01",
                     *         "timezone": "UTC",
                     *         "filters": {
                     *           "campaign": "spring-2026"
                     *         },
                     *         "data_as_of": "2026-02-01T09:30:00.000Z",
                     *         "rows_kept_from": null,
                     *         "unique_visitors_estimated": false,
                     *         "total": 42,
                     *         "limit": 10,
                     *         "truncated": false,
                     *         "truncated_dimensions": []
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Breakdowns"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_conversion_breakdowns: {
        parameters: {
            query: {
                /** @description The first day, in `timezone`. By default the range is the 30 days up to its last day. */
                start_date?: "all" | string;
                /** @description The last day, inclusive; today by default. The range is at most five years. */
                end_date?: "all" | string;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Conversions of these links. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                link_id?: string;
                /** @description Conversions of links that had these campaigns when the conversion was recorded; `none` without a campaign. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                campaign?: string;
                /** @description Conversions from these sources. Write the source `all` as `\all`. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                source?: string;
                /** @description Conversions of links that are on these domains now; `none` for the default short host. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                domain_id?: string;
                /** @description Conversions of links that have any of these tags now; `none` for links without tags. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                tag_id?: string;
                /** @description Conversions of links that are in these folders now; `none` for links in no folder. Up to 50 values, separated by commas; `!` in front negates the whole list. Omit it, or pass `all`, for every one. */
                folder_id?: string;
                /** @description The dimensions must be one or more of link, campaign, source, separated by commas. A conversion of a link without a campaign has the campaign `none`. */
                dimensions: string;
                /** @description Rows of each dimension; 25 unless given. */
                limit?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "link": [
                     *           {
                     *             "value": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *             "conversions": 3,
                     *             "share": 1,
                     *             "conversion_values": [
                     *               {
                     *                 "currency": "EUR",
                     *                 "value": 149.7
                     *               }
                     *             ],
                     *             "short_code": "spring",
                     *             "title": "Spring"
                     *           }
                     *         ],
                     *         "source": [
                     *           {
                     *             "value": "checkout",
                     *             "conversions": 3,
                     *             "share": 1,
                     *             "conversion_values": [
                     *               {
                     *                 "currency": "EUR",
                     *                 "value": 149.7
                     *               }
                     *             ]
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "start_date": "2026-02-01",
                     *         "end_date": "2026-02-01",
                     *         "timezone": "UTC",
                     *         "filters": {
                     *           "campaign": "spring-2026"
                     *         },
                     *         "data_as_of": "2026-02-01T09:30:00.000Z",
                     *         "total": 3,
                     *         "limit": 10,
                     *         "truncated": false,
                     *         "truncated_dimensions": [],
                     *         "currencies_truncated": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConversionBreakdowns"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_links: {
        parameters: {
            query: {
                /** @description Ids, separated by commas; at most 100. */
                ids: string;
                /** @description The number of days, of which today in `timezone` is the last; 7 unless given. */
                days?: number;
                /** @description An IANA name such as `Europe/Berlin`; UTC by default. */
                timezone?: string;
                /** @description Whether scans of bots also count. By default they do not. */
                include_bots?: boolean;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M": [
                     *           {
                     *             "date": "2026-02-01",
                     *             "scans": 42
                     *           }
                     *         ]
                     *       },
                     *       "meta": {
                     *         "start_date": "2026-02-01",
                     *         "end_date": "2026-02-01",
                     *         "timezone": "UTC",
                     *         "data_as_of": "2026-02-01T09:30:00.000Z",
                     *         "rows_kept_from": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            [key: string]: {
                                /** Format: date */
                                date: string;
                                scans: number;
                            }[];
                        };
                        meta: {
                            /** Format: date */
                            start_date: string;
                            /** Format: date */
                            end_date: string;
                            timezone: string;
                            /** @description The figures include every scan that analytics has received up to this time. `null` while the history of the workspace is being reloaded. */
                            data_as_of: string | null;
                            /** @description Scans before this UTC day are neither listed nor counted any more; `null` while all are kept. */
                            rows_kept_from: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    analytics_filters: {
        parameters: {
            query?: {
                /** @description Only links whose title, short code or an earlier code contains this text, and campaigns that contain it. */
                search?: string;
                /** @description The `meta.next_cursor` of the previous response, with the same `search`. */
                cursor?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "links": [
                     *           {
                     *             "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *             "short_code": "spring",
                     *             "title": "Spring sale"
                     *           }
                     *         ],
                     *         "campaigns": [
                     *           "spring-2026"
                     *         ]
                     *       },
                     *       "meta": {
                     *         "truncated": false,
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["FilterValues"];
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V",
                     *           "url": "https://hooks.example.com/waymark",
                     *           "description": "Warehouse",
                     *           "event_types": [
                     *             "scan.logged"
                     *           ],
                     *           "enabled": true,
                     *           "status": "healthy",
                     *           "consecutive_failures": 0,
                     *           "created_at": "2026-01-31T12:00:00.000Z",
                     *           "updated_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body are a 409 that names what was created: its secret is shown once. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/waymark",
                 *       "description": "Warehouse",
                 *       "event_types": [
                 *         "scan.logged"
                 *       ],
                 *       "enabled": true
                 *     }
                 */
                "application/json": {
                    url: string;
                    description?: string | null;
                    event_types: ("scan.logged" | "conversion.recorded" | "link.created" | "link.updated" | "link.archived" | "link.reactivated" | "link.deleted" | "link.import_completed" | "domain.verified" | "domain.failed")[];
                    /** @default true */
                    enabled?: boolean;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V",
                     *         "url": "https://hooks.example.com/waymark",
                     *         "description": "Warehouse",
                     *         "event_types": [
                     *           "scan.logged"
                     *         ],
                     *         "enabled": true,
                     *         "status": "healthy",
                     *         "consecutive_failures": 0,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "meta": {
                     *         "signing_secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta: {
                            signing_secret: string;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V",
                     *         "url": "https://hooks.example.com/waymark",
                     *         "description": "Warehouse",
                     *         "event_types": [
                     *           "scan.logged"
                     *         ],
                     *         "enabled": true,
                     *         "status": "healthy",
                     *         "consecutive_failures": 0,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rotate_secret": true
                 *     }
                 */
                "application/json": {
                    url?: string;
                    description?: string | null;
                    event_types?: ("scan.logged" | "conversion.recorded" | "link.created" | "link.updated" | "link.archived" | "link.reactivated" | "link.deleted" | "link.import_completed" | "domain.verified" | "domain.failed")[];
                    enabled?: boolean;
                    rotate_secret?: boolean;
                };
                /**
                 * @example {
                 *       "rotate_secret": true
                 *     }
                 */
                "application/merge-patch+json": {
                    url?: string;
                    description?: string | null;
                    event_types?: ("scan.logged" | "conversion.recorded" | "link.created" | "link.updated" | "link.archived" | "link.reactivated" | "link.deleted" | "link.import_completed" | "domain.verified" | "domain.failed")[];
                    enabled?: boolean;
                    rotate_secret?: boolean;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V",
                     *         "url": "https://hooks.example.com/waymark",
                     *         "description": "Warehouse",
                     *         "event_types": [
                     *           "scan.logged"
                     *         ],
                     *         "enabled": true,
                     *         "status": "healthy",
                     *         "consecutive_failures": 0,
                     *         "created_at": "2026-01-31T12:00:00.000Z",
                     *         "updated_at": "2026-01-31T12:00:00.000Z"
                     *       },
                     *       "meta": {
                     *         "signing_secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Webhook"];
                        meta?: {
                            signing_secret: string;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_test: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "att_01KG9RCK5M6N7P8Q9R0S1T2V3W",
                     *         "delivery_id": "dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X",
                     *         "event_id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *         "event_type": "webhook.test",
                     *         "attempt_number": 1,
                     *         "status": "failed",
                     *         "status_code": 503,
                     *         "error": {
                     *           "type": "http_error",
                     *           "message": "The receiver answered 503."
                     *         },
                     *         "duration_ms": 87,
                     *         "created_at": "2026-02-01T09:30:00.000Z",
                     *         "attempted_at": "2026-02-01T09:30:00.000Z",
                     *         "next_retry_at": "2026-02-01T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["DeliveryAttempt"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_deliveries: {
        parameters: {
            query?: {
                /** @description Only this status. Omit it, or pass `all`, for every one. */
                status?: "all" | "succeeded" | "failed" | "pending";
                event_type?: "all" | "scan.logged" | "conversion.recorded" | "link.created" | "link.updated" | "link.archived" | "link.reactivated" | "link.deleted" | "link.import_completed" | "domain.verified" | "domain.failed" | "webhook.test";
                /** @description Only attempts that were scheduled at this time or later. */
                from?: string;
                /** @description Only attempts that were scheduled at this time or earlier. */
                to?: string;
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
                /** @description The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages. */
                cursor?: string;
                /** @description Only this link_id. Omit it, or pass `all`, for every one. */
                link_id?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "att_01KG9RCK5M6N7P8Q9R0S1T2V3W",
                     *           "delivery_id": "dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X",
                     *           "event_id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *           "event_type": "scan.logged",
                     *           "attempt_number": 1,
                     *           "status": "failed",
                     *           "status_code": 503,
                     *           "error": {
                     *             "type": "http_error",
                     *             "message": "The receiver answered 503."
                     *           },
                     *           "duration_ms": 87,
                     *           "created_at": "2026-02-01T09:30:00.000Z",
                     *           "attempted_at": "2026-02-01T09:30:00.000Z",
                     *           "next_retry_at": "2026-02-01T09:30:00.000Z",
                     *           "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/webhooks/whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V/deliveries?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/webhooks/whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V/deliveries?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/webhooks/whk_01KG9RBJ4K5M6N7P8Q9R0S1T2V/deliveries",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1,
                     *         "truncated": false,
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["DeliveryRow"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                            truncated: boolean;
                            /** @description With it as `cursor` the answer continues after this one; `null` on the last page. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X",
                     *         "event_id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *         "event_type": "scan.logged",
                     *         "status": "failed",
                     *         "payload": {
                     *           "id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *           "type": "scan.logged",
                     *           "created_at": "2026-02-01T09:30:00.000Z",
                     *           "workspace": "acme",
                     *           "data": {}
                     *         },
                     *         "attempts": [
                     *           {
                     *             "id": "att_01KG9RCK5M6N7P8Q9R0S1T2V3W",
                     *             "delivery_id": "dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X",
                     *             "event_id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *             "event_type": "scan.logged",
                     *             "attempt_number": 1,
                     *             "status": "failed",
                     *             "status_code": 503,
                     *             "error": {
                     *               "type": "http_error",
                     *               "message": "The receiver answered 503."
                     *             },
                     *             "duration_ms": 87,
                     *             "created_at": "2026-02-01T09:30:00.000Z",
                     *             "attempted_at": "2026-02-01T09:30:00.000Z",
                     *             "next_retry_at": "2026-02-01T09:30:00.000Z",
                     *             "response": {
                     *               "headers": {
                     *                 "content-type": "text/plain"
                     *               },
                     *               "body": "Try again later.",
                     *               "is_truncated": false
                     *             }
                     *           }
                     *         ],
                     *         "link_id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Delivery"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-02-01T09:00:00Z",
                 *       "to": "2026-02-01T10:00:00Z",
                 *       "event_types": [
                 *         "scan.logged"
                 *       ]
                 *     }
                 */
                "application/json": {
                    from: string;
                    to: string;
                    event_types?: ("scan.logged" | "conversion.recorded" | "link.created" | "link.updated" | "link.archived" | "link.reactivated" | "link.deleted" | "link.import_completed" | "domain.verified" | "domain.failed")[] | null;
                };
            };
        };
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "deliveries": 128,
                     *         "from": "2026-02-01T09:30:00.000Z",
                     *         "to": "2026-02-01T09:30:00.000Z",
                     *         "event_types": [
                     *           "scan.logged"
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: {
                            deliveries: number;
                            /** Format: date-time */
                            from: string;
                            /** Format: date-time */
                            to: string;
                            event_types: string[] | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    webhooks_retry_delivery: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
                id: string;
                delivery: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "att_01KG9RCK5M6N7P8Q9R0S1T2V3W",
                     *         "delivery_id": "dlv_01KG9RDM6N7P8Q9R0S1T2V3W4X",
                     *         "event_id": "evt_01KG9REN7P8Q9R0S1T2V3W4X5Y",
                     *         "event_type": "scan.logged",
                     *         "attempt_number": 1,
                     *         "status": "failed",
                     *         "status_code": 503,
                     *         "error": {
                     *           "type": "http_error",
                     *           "message": "The receiver answered 503."
                     *         },
                     *         "duration_ms": 87,
                     *         "created_at": "2026-02-01T09:30:00.000Z",
                     *         "attempted_at": "2026-02-01T09:30:00.000Z",
                     *         "next_retry_at": "2026-02-01T09:30:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["DeliveryAttempt"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_list: {
        parameters: {
            query?: {
                /** @description With it, or with per_page, the answer is one page. */
                page?: number;
                /** @description 15 where only page is given. */
                per_page?: number;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z",
                     *           "hostname": "go.acme.example",
                     *           "status": "pending",
                     *           "dns": {
                     *             "txt": {
                     *               "name": "_waymark-challenge.go.acme.example",
                     *               "value": "waymark-verification=3b9f…"
                     *             },
                     *             "cname": {
                     *               "name": "go.acme.example",
                     *               "target": "go.example.com"
                     *             }
                     *           },
                     *           "not_found_url": null,
                     *           "last_checked_at": null,
                     *           "last_error": null,
                     *           "verified_at": null,
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Domain"][];
                        links?: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta?: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                        } | {
                            /** @constant */
                            truncated: true;
                            total: number;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hostname": "go.acme.example"
                 *     }
                 */
                "application/json": {
                    hostname: string;
                };
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z",
                     *         "hostname": "go.acme.example",
                     *         "status": "pending",
                     *         "dns": {
                     *           "txt": {
                     *             "name": "_waymark-challenge.go.acme.example",
                     *             "value": "waymark-verification=3b9f…"
                     *           },
                     *           "cname": {
                     *             "name": "go.acme.example",
                     *             "target": "go.example.com"
                     *           }
                     *         },
                     *         "not_found_url": null,
                     *         "last_checked_at": null,
                     *         "last_error": null,
                     *         "verified_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z",
                     *         "hostname": "go.acme.example",
                     *         "status": "pending",
                     *         "dns": {
                     *           "txt": {
                     *             "name": "_waymark-challenge.go.acme.example",
                     *             "value": "waymark-verification=3b9f…"
                     *           },
                     *           "cname": {
                     *             "name": "go.acme.example",
                     *             "target": "go.example.com"
                     *           }
                     *         },
                     *         "not_found_url": null,
                     *         "last_checked_at": null,
                     *         "last_error": null,
                     *         "verified_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            /** @description The item is the one that `If-None-Match` names; no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Entity tags, or `*`. If the item has none of them, the request is a 412 and nothing changes. */
                "If-Match"?: string;
                /** @description Entity tags, or `*`. If the item has one of them, a GET is a 304, and a change a 412. */
                "If-None-Match"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        /** @description At most 64 kB, also when it is decompressed. */
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "not_found_url": "https://acme.example/not-found"
                 *     }
                 */
                "application/json": {
                    not_found_url?: string | null;
                };
                /**
                 * @example {
                 *       "not_found_url": "https://acme.example/not-found"
                 *     }
                 */
                "application/merge-patch+json": {
                    not_found_url?: string | null;
                };
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    ETag: components["headers"]["ETag"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z",
                     *         "hostname": "go.acme.example",
                     *         "status": "pending",
                     *         "dns": {
                     *           "txt": {
                     *             "name": "_waymark-challenge.go.acme.example",
                     *             "value": "waymark-verification=3b9f…"
                     *           },
                     *           "cname": {
                     *             "name": "go.acme.example",
                     *             "target": "go.example.com"
                     *           }
                     *         },
                     *         "not_found_url": null,
                     *         "last_checked_at": null,
                     *         "last_error": null,
                     *         "verified_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            412: components["responses"]["precondition_failed"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    domains_verify: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
                /** @description Makes the request safe to repeat: for 24 hours the same key and body get the first answer. The order of names in the JSON does not matter. */
                "Idempotency-Key"?: string;
            };
            path: {
                workspace: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted: it is done later. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "id": "dom_01KG9RFP8Q9R0S1T2V3W4X5Y6Z",
                     *         "hostname": "go.acme.example",
                     *         "status": "verifying",
                     *         "dns": {
                     *           "txt": {
                     *             "name": "_waymark-challenge.go.acme.example",
                     *             "value": "waymark-verification=3b9f…"
                     *           },
                     *           "cname": {
                     *             "name": "go.acme.example",
                     *             "target": "go.example.com"
                     *           }
                     *         },
                     *         "not_found_url": null,
                     *         "last_checked_at": null,
                     *         "last_error": null,
                     *         "verified_at": null,
                     *         "created_at": "2026-01-31T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["Domain"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            404: components["responses"]["not_found"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    audit_logs_list: {
        parameters: {
            query?: {
                action?: "all" | "analytics.*" | "analytics.exported" | "audit_log.*" | "audit_log.exported" | "conversion.*" | "conversion.recorded" | "domain.*" | "domain.check_requested" | "domain.created" | "domain.degraded" | "domain.deleted" | "domain.failed" | "domain.updated" | "domain.verified" | "folder.*" | "folder.created" | "folder.deleted" | "folder.updated" | "invitation.*" | "invitation.accepted" | "invitation.created" | "invitation.declined" | "invitation.deleted" | "link.*" | "link.archived" | "link.created" | "link.deleted" | "link.exported" | "link.import_completed" | "link.import_started" | "link.reactivated" | "link.updated" | "member.*" | "member.added" | "member.removed" | "member.role_changed" | "session.*" | "session.created" | "session.deleted" | "session.failed" | "tag.*" | "tag.created" | "tag.deleted" | "tag.updated" | "token.*" | "token.created" | "token.refused" | "token.revoked" | "user.*" | "user.created" | "user.disabled" | "user.enabled" | "user.identity_linked" | "user.password_changed" | "user.password_reset_requested" | "user.totp_disabled" | "user.totp_enabled" | "user.updated" | "utm_template.*" | "utm_template.created" | "utm_template.deleted" | "utm_template.updated" | "webhook.*" | "webhook.created" | "webhook.deleted" | "webhook.delivery_retried" | "webhook.disabled" | "webhook.replayed" | "webhook.secret_rotated" | "webhook.tested" | "webhook.updated" | "workspace.*" | "workspace.created" | "workspace.plan_changed" | "workspace.resumed" | "workspace.suspended" | "workspace.updated";
                /** @description The id or e-mail address of a user, or the id of a token. Omit it, or pass `all`, for every actor. */
                actor?: string;
                /** @description The id of the changed resource, such as `lnk_…`. Omit it, or pass `all`, for every resource. */
                target?: string;
                /** @description The `X-Request-Id` of the response that the caller received. */
                request_id?: string;
                from?: string;
                to?: string;
                /** @description 1 unless given. A page past the last one is empty. */
                page?: number;
                /** @description 15 unless given. */
                per_page?: number;
                /** @description The `meta.next_cursor` of the previous response, instead of `page` and with the same filters and sort. New items do not shift the pages. */
                cursor?: string;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": [
                     *         {
                     *           "id": "aud_01KG9RGQ9R0S1T2V3W4X5Y6Z7A",
                     *           "action": "link.updated",
                     *           "actor": {
                     *             "type": "user",
                     *             "id": "usr_01KG9QZ6X4V8N2M0R3T5W7Y9AB",
                     *             "name": "Ada Lovelace",
                     *             "email": "ada@example.com",
                     *             "token_id": null,
                     *             "token": null
                     *           },
                     *           "target": {
                     *             "type": "link",
                     *             "id": "lnk_01KG9R2J5C7D8E9F0G1H2J3K4M",
                     *             "label": "Spring sale"
                     *           },
                     *           "changes": {
                     *             "title": {
                     *               "from": "Spring",
                     *               "to": "Spring sale"
                     *             }
                     *           },
                     *           "ip_address": "203.0.113.7",
                     *           "request_id": "f3a1c2d4",
                     *           "created_at": "2026-01-31T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "links": {
                     *         "first": "https://api.example.com/api/v1/workspaces/acme/audit-logs?page=1",
                     *         "last": "https://api.example.com/api/v1/workspaces/acme/audit-logs?page=1",
                     *         "prev": null,
                     *         "next": null
                     *       },
                     *       "meta": {
                     *         "current_page": 1,
                     *         "from": 1,
                     *         "last_page": 1,
                     *         "path": "https://api.example.com/api/v1/workspaces/acme/audit-logs",
                     *         "per_page": 15,
                     *         "to": 1,
                     *         "total": 1,
                     *         "truncated": false,
                     *         "next_cursor": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["AuditEntry"][];
                        links: {
                            first: string;
                            last: string;
                            prev: string | null;
                            next: string | null;
                        };
                        meta: {
                            current_page: number;
                            from: number | null;
                            last_page: number;
                            path: string;
                            per_page: number;
                            to: number | null;
                            total: number;
                            truncated: boolean;
                            /** @description With it as `cursor` the answer continues after this one; `null` on the last page. */
                            next_cursor: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    audit_logs_export: {
        parameters: {
            query?: {
                action?: "all" | "analytics.*" | "analytics.exported" | "audit_log.*" | "audit_log.exported" | "conversion.*" | "conversion.recorded" | "domain.*" | "domain.check_requested" | "domain.created" | "domain.degraded" | "domain.deleted" | "domain.failed" | "domain.updated" | "domain.verified" | "folder.*" | "folder.created" | "folder.deleted" | "folder.updated" | "invitation.*" | "invitation.accepted" | "invitation.created" | "invitation.declined" | "invitation.deleted" | "link.*" | "link.archived" | "link.created" | "link.deleted" | "link.exported" | "link.import_completed" | "link.import_started" | "link.reactivated" | "link.updated" | "member.*" | "member.added" | "member.removed" | "member.role_changed" | "session.*" | "session.created" | "session.deleted" | "session.failed" | "tag.*" | "tag.created" | "tag.deleted" | "tag.updated" | "token.*" | "token.created" | "token.refused" | "token.revoked" | "user.*" | "user.created" | "user.disabled" | "user.enabled" | "user.identity_linked" | "user.password_changed" | "user.password_reset_requested" | "user.totp_disabled" | "user.totp_enabled" | "user.updated" | "utm_template.*" | "utm_template.created" | "utm_template.deleted" | "utm_template.updated" | "webhook.*" | "webhook.created" | "webhook.deleted" | "webhook.delivery_retried" | "webhook.disabled" | "webhook.replayed" | "webhook.secret_rotated" | "webhook.tested" | "webhook.updated" | "workspace.*" | "workspace.created" | "workspace.plan_changed" | "workspace.resumed" | "workspace.suspended" | "workspace.updated";
                /** @description The id or e-mail address of a user, or the id of a token. Omit it, or pass `all`, for every actor. */
                actor?: string;
                /** @description The id of the changed resource, such as `lnk_…`. Omit it, or pass `all`, for every resource. */
                target?: string;
                /** @description The `X-Request-Id` of the response that the caller received. */
                request_id?: string;
                from?: string;
                to?: string;
                /** @description Whether the file begins with a byte order mark, by which Excel reads it as UTF-8. */
                bom?: boolean;
            };
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv; charset=utf-8": string;
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    audit_logs_verify: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                workspace: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "data": {
                     *         "valid": true,
                     *         "checked": 128,
                     *         "first_break": null
                     *       }
                     *     }
                     */
                    "application/json": {
                        data: components["schemas"]["AuditVerdict"];
                    };
                };
            };
            400: components["responses"]["bad_request"];
            401: components["responses"]["unauthenticated"];
            403: components["responses"]["forbidden"];
            408: components["responses"]["request_timeout"];
            409: components["responses"]["conflict"];
            413: components["responses"]["payload_too_large"];
            415: components["responses"]["unsupported_media_type"];
            422: components["responses"]["validation_failed"];
            429: components["responses"]["rate_limit_exceeded"];
            500: components["responses"]["server_error"];
            503: components["responses"]["service_unavailable"];
        };
    };
    openapi_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description `handling=lenient` ignores query parameters and body fields that the operation does not have; `handling=strict` refuses them. Strict under `/api/v1` unless asked, lenient under `/api` (RFC 7240). */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.1"
                     *     }
                     */
                    "application/json": {
                        openapi: string;
                    } & {
                        [key: string]: unknown;
                    };
                };
            };
            400: components["responses"]["uncounted_bad_request"];
            413: components["responses"]["uncounted_payload_too_large"];
            422: components["responses"]["uncounted_validation_failed"];
            429: components["responses"]["uncounted_rate_limit_exceeded"];
            500: components["responses"]["uncounted_server_error"];
        };
    };
    receive_scan_logged: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "scan.logged";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        scan: components["schemas"]["Scan"];
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            campaign_tag: string | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_conversion_recorded: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "conversion.recorded";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        conversion: components["schemas"]["Conversion"];
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            campaign_tag: string | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_created: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.created";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            destination_url: string;
                            campaign_tag: string | null;
                            utm_defaults: {
                                utm_source: string | null;
                                utm_medium: string | null;
                                utm_campaign: string | null;
                                utm_term: string | null;
                                utm_content: string | null;
                            };
                            /** @enum {string} */
                            query_policy: "append" | "override" | "drop";
                            /** @enum {string} */
                            status: "active" | "archived";
                            created_by: string | null;
                            archived_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            domain: {
                                id: string;
                                hostname: string;
                            } | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                        /** @description The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`. */
                        changes: {
                            [key: string]: {
                                from: unknown;
                                to: unknown;
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_updated: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.updated";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            destination_url: string;
                            campaign_tag: string | null;
                            utm_defaults: {
                                utm_source: string | null;
                                utm_medium: string | null;
                                utm_campaign: string | null;
                                utm_term: string | null;
                                utm_content: string | null;
                            };
                            /** @enum {string} */
                            query_policy: "append" | "override" | "drop";
                            /** @enum {string} */
                            status: "active" | "archived";
                            created_by: string | null;
                            archived_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            domain: {
                                id: string;
                                hostname: string;
                            } | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                        /** @description The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`. */
                        changes: {
                            [key: string]: {
                                from: unknown;
                                to: unknown;
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_archived: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.archived";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            destination_url: string;
                            campaign_tag: string | null;
                            utm_defaults: {
                                utm_source: string | null;
                                utm_medium: string | null;
                                utm_campaign: string | null;
                                utm_term: string | null;
                                utm_content: string | null;
                            };
                            /** @enum {string} */
                            query_policy: "append" | "override" | "drop";
                            /** @enum {string} */
                            status: "active" | "archived";
                            created_by: string | null;
                            archived_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            domain: {
                                id: string;
                                hostname: string;
                            } | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                        /** @description The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`. */
                        changes: {
                            [key: string]: {
                                from: unknown;
                                to: unknown;
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_reactivated: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.reactivated";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            destination_url: string;
                            campaign_tag: string | null;
                            utm_defaults: {
                                utm_source: string | null;
                                utm_medium: string | null;
                                utm_campaign: string | null;
                                utm_term: string | null;
                                utm_content: string | null;
                            };
                            /** @enum {string} */
                            query_policy: "append" | "override" | "drop";
                            /** @enum {string} */
                            status: "active" | "archived";
                            created_by: string | null;
                            archived_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            domain: {
                                id: string;
                                hostname: string;
                            } | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                        /** @description The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`. */
                        changes: {
                            [key: string]: {
                                from: unknown;
                                to: unknown;
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_deleted: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.deleted";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        link: {
                            id: string;
                            short_code: string;
                            short_url: string;
                            title: string | null;
                            destination_url: string;
                            campaign_tag: string | null;
                            utm_defaults: {
                                utm_source: string | null;
                                utm_medium: string | null;
                                utm_campaign: string | null;
                                utm_term: string | null;
                                utm_content: string | null;
                            };
                            /** @enum {string} */
                            query_policy: "append" | "override" | "drop";
                            /** @enum {string} */
                            status: "active" | "archived";
                            created_by: string | null;
                            archived_at: string | null;
                            /** Format: date-time */
                            created_at: string;
                            /** Format: date-time */
                            updated_at: string;
                            domain: {
                                id: string;
                                hostname: string;
                            } | null;
                            folder_id: string | null;
                            tags: {
                                id: string;
                                name: string;
                                color: string | null;
                            }[];
                        };
                        /** @description The changed fields, as in the audit log. On creation each changes from `null`, on deletion to `null`. */
                        changes: {
                            [key: string]: {
                                from: unknown;
                                to: unknown;
                            };
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_link_import_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "link.import_completed";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        import: {
                            id: string;
                            /** @enum {string} */
                            status: "queued" | "processing" | "completed" | "completed_with_errors" | "failed";
                            options: {
                                /** @enum {string} */
                                on_duplicate: "skip" | "update" | "fail";
                                dry_run: boolean;
                            };
                            total_rows: number;
                            processed_rows: number;
                            created_count: number;
                            updated_count: number;
                            unchanged_count: number;
                            skipped_count: number;
                            failed_count: number;
                            rows_kept_until: string | null;
                            /** Format: date-time */
                            created_at: string;
                            started_at: string | null;
                            finished_at: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_domain_verified: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "domain.verified";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        domain: {
                            id: string;
                            hostname: string;
                            /** @enum {string} */
                            status: "pending" | "verifying" | "verified" | "degraded" | "failed";
                            not_found_url: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_domain_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "domain.failed";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        domain: {
                            id: string;
                            hostname: string;
                            /** @enum {string} */
                            status: "pending" | "verifying" | "verified" | "degraded" | "failed";
                            not_found_url: string | null;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    receive_webhook_test: {
        parameters: {
            query?: never;
            header: {
                /** @description The id of the event, the same on every attempt. */
                "webhook-id": string;
                /** @description When this attempt was made, in seconds since 1970. */
                "webhook-timestamp": string;
                /** @description `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`; several, with spaces, while a secret is rotated. */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "webhook.test";
                    /** Format: date-time */
                    created_at: string;
                    workspace: string;
                    data: {
                        webhook: {
                            id: string;
                            url: string;
                        };
                    };
                };
            };
        };
        responses: {
            /** @description Disables the endpoint: it receives no more events. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Accepted. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
