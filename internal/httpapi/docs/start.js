// Shows the interface's own description; "Authorize" takes an API key, which
// stays in this tab.
SwaggerUIBundle({
  url: "/openapi.yaml",
  dom_id: "#document",
  deepLinking: true,
  defaultModelsExpandDepth: -1,
  tryItOutEnabled: true,
  validatorUrl: null,
});
