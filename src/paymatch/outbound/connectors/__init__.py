"""The ways to shop systems: WooCommerce and Shopware 6, by the one outgoing HTTP module (D-75)."""
